package org.example.ledger;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class LedgerTest {
    @Test
    public void balanceHoldsLargeSums() {
        Ledger ledger = new Ledger();
        ledger.open("savings");
        ledger.post("savings", 2_000_000_000L);
        ledger.post("savings", 500_000_000L);
        assertEquals(2_500_000_000L, ledger.balance("savings"));
    }

    @Test
    public void statementOfAnUnknownAccountIsEmpty() {
        assertEquals("travel: 0", new Statement(new Ledger()).line("travel"));
    }

    @Test
    public void tidyTakesOutZeroPostings() {
        Ledger ledger = new Ledger();
        ledger.open("cash");
        for (long cents : new long[] {100, 0, 0, 250}) ledger.post("cash", cents);
        ledger.tidy("cash");
        assertEquals(350, ledger.balance("cash"));
    }
}
