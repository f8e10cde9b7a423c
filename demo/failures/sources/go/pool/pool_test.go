package pool

import "testing"

func TestTakeMarksTheConnectionAsUsed(t *testing.T) {
	p := New(2)
	c := p.Take()
	if p.used[c.ID] != c {
		t.Fatalf("connection %d is not marked as used", c.ID)
	}
}

func TestMeanOfNoWaitsIsZero(t *testing.T) {
	if got := Mean(nil); got != 0 {
		t.Fatalf("Mean(nil) = %d, want 0", got)
	}
}
