package org.example.ledger;

/** Prints one account for its owner. */
public class Statement {
    private final Ledger ledger;

    public Statement(Ledger ledger) {
        this.ledger = ledger;
    }

    public String line(String account) {
        try {
            return account + ": " + ledger.balance(account);
        } catch (RuntimeException e) {
            throw new IllegalStateException("no statement for " + account, e);
        }
    }
}
