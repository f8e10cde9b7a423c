package org.example.ledger;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Postings by account, in cents. */
public class Ledger {
    private final Map<String, List<Long>> postings = new HashMap<>();

    public void open(String account) {
        postings.put(account, new ArrayList<>());
    }

    public void post(String account, long cents) {
        postings.get(account).add(cents);
    }

    public int balance(String account) {
        int sum = 0;
        for (long cents : postings.get(account)) sum += cents;
        return sum;
    }

    /** Takes out all postings of zero. */
    public void tidy(String account) {
        for (Long cents : postings.get(account)) {
            if (cents == 0) postings.get(account).remove(cents);
        }
    }
}
