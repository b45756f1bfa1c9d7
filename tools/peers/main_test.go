package main

import (
	"strings"
	"testing"
)

func TestAPatternThatNamesNoBenchmarkIsAnError(t *testing.T) {
	names := []string{"Binary", "BinaryPeers", "Invoke", "Peers", "Unary", "UnaryPeers"}
	for _, pattern := range []string{"Binary", "Unary/exp", "Invoke", "Binary/(add|mul)/1000"} {
		if err := checkPatterns([]string{"Unary", pattern}, names); err != nil {
			t.Errorf("%s: %v", pattern, err)
		}
	}
	for pattern, hint := range map[string]string{"binary": "did you mean Binary?", "unary/exp": "did you mean Unary?", "Bin": "are Binary, Unary", "": "are Binary, Unary"} {
		if err := checkPatterns([]string{"Unary", pattern}, names); err == nil || !strings.Contains(err.Error(), hint) {
			t.Errorf("%q: %v, want %q", pattern, err, hint)
		}
	}
}

func TestAllBenchmarksWithPeersAreChosenWithoutPatterns(t *testing.T) {
	if got := strings.Join(withPeers([]string{"Binary", "BinaryPeers", "Invoke", "Peers", "UnaryPeers"}), " "); got != "Binary Unary" {
		t.Error(got)
	}
}
