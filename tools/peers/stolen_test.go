package main

import "testing"

func TestStolenTimeIsAPartOfAllTime(t *testing.T) {
	before := parseProcessorTime("cpu  100 20 30 400 5 0 1 44 7 8\ncpu0 1 2 3 4 5 6 7 8 9 10\n")
	if before != (processorTime{stolen: 44, total: 600}) {
		t.Errorf("%+v", before)
	}
	after := parseProcessorTime("cpu  150 20 30 410 5 0 1 84 70 80\n")
	if got := after.stolenSince(before); got != 0.4 {
		t.Errorf("%g of the time was stolen, want 0.4", got)
	}
	for _, text := range []string{"", "cpu 1 2 3\n", "cpu a b c d e f g h\n", "intr 1 2 3 4 5 6 7 8 9\n"} {
		if got := parseProcessorTime(text); got != (processorTime{}) {
			t.Errorf("%q: %+v", text, got)
		}
		if got := (processorTime{}).stolenSince(parseProcessorTime(text)); got != 0 {
			t.Errorf("%q: %g", text, got)
		}
	}
}
