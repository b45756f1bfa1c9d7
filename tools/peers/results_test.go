package main

import (
	"regexp"
	"strings"
	"testing"
)

func TestTheTableTellsTheRatioToTheFastestPeer(t *testing.T) {
	results := newResults(nil)
	for _, round := range []string{
		"BenchmarkUnary/exp/1000-2 \t 10\t 100 ns/op\t 5 M/s\nBenchmarkUnaryPeers/exp/1000/numpy-2 1 300.5 ns/op\n",
		"BenchmarkUnary/exp/1000-2 10 200 ns/op\nBenchmarkUnaryPeers/exp/1000/torch-2 1 1e+06 ns/op\nBenchmarkUnaryPeers/exp/1000/numpy-2 1 301 ns/op\n",
		"goos: linux\nBenchmarkUnary/exp/1000-2 10 50 ns/op\nBenchmarkUnary/exp/1000/kernel-2 10 43 ns/op\nBenchmarkUnary/exp/200-2 1 7.25 ns/op\n" +
			"BenchmarkUnaryPeers/exp/1000/numpy-2 1 400 ns/op\nPASS\n",
	} {
		results.Add(round)
	}
	var table strings.Builder
	if err := results.Print(&table, "Unary"); err != nil {
		t.Fatal(err)
	}
	want := [][]string{
		{"Unary", "time", "best", "peer", "its", "time", "ratio", "least", "most", "of", "machine"},
		{"exp/200", "7.25", "ns", "-", "-", "-", "-", "-", "-"},
		{"exp/1000", "100", "ns", "numpy", "301", "ns", "3.00", "1.50", "8.00", "-"},
		{"exp/1000/kernel", "43", "ns", "numpy", "301", "ns", "6.99", "6.99", "6.99", "-"},
	}
	lines := strings.Split(strings.TrimSuffix(table.String(), "\n"), "\n")
	if len(lines) != len(want) {
		t.Fatalf("%d lines:\n%s", len(lines), table.String())
	}
	for i, line := range lines {
		if got := strings.Fields(line); strings.Join(got, " ") != strings.Join(want[i], " ") {
			t.Errorf("line %d: %q, want %q", i, got, want[i])
		}
	}
}

func TestTheTableTellsThePartOfTheBandwidth(t *testing.T) {
	results := newResults(nil)
	results.Add("BenchmarkBinary/stream/1000-2 10 100 ns/op 80 GB/s 10 M/s\nBenchmarkBinary/stream/1000/kernel-2 10 100 ns/op 400 GB/s\n" +
		"BenchmarkBinary/stream/100000-2 10 20000 ns/op 40 GB/s\nBenchmarkBinary/add/1000-2 10 200 ns/op 5 M/s 60 GB/s\n" +
		"BenchmarkBinary/add/100000-2 10 40000 ns/op 38 GB/s\nBenchmarkBinary/at/1-2 10 4 ns/op\n")
	for label, want := range map[string]string{"add/1000": "75%", "add/100000": "95%", "stream/1000": "100%", "at/1": "-"} {
		if got := results.ofMachine("Binary", label); got != want {
			t.Errorf("%s: %s, want %s", label, got, want)
		}
	}
}

func TestTheTableTellsThePartOfTheLimit(t *testing.T) {
	results := newResults(nil)
	results.Add("BenchmarkGemm/limit/float32-2 10 100 ns/op 400 GFLOPS\nBenchmarkGemm/limit/float64-2 10 100 ns/op 200 GFLOPS\n" +
		"BenchmarkGemm/float32/64-2 10 100 ns/op 300 GFLOPS\nBenchmarkGemm/float64/64-2 10 100 ns/op 190.0 GFLOPS\nBenchmarkGemm/int8/64-2 10 100 ns/op 9 GFLOPS\n" +
		"BenchmarkConv/limit/float32-2 10 100 ns/op 400 GFLOPS\nBenchmarkConv/stem/1-2 10 100 ns/op 0 B/op 100 GFLOPS\n")
	for label, want := range map[string]string{"Gemm float32/64": "75%", "Gemm float64/64": "95%", "Gemm int8/64": "-", "Conv stem/1": "25%"} {
		if name, label, _ := strings.Cut(label, " "); results.ofMachine(name, label) != want {
			t.Errorf("%s/%s: %s, want %s", name, label, results.ofMachine(name, label), want)
		}
	}
}

func TestTheTableComparesWithTheChosenPeers(t *testing.T) {
	results := newResults(regexp.MustCompile("^openblas"))
	results.Add("BenchmarkGemm/64-2 10 100 ns/op\nBenchmarkGemmPeers/64/torch-2 1 110 ns/op\nBenchmarkGemmPeers/64/openblas-Zen-2 1 300 ns/op\n" +
		"BenchmarkGemmPeers/64/openblas-Haswell-2 1 200 ns/op\n")
	if best := results.bestPeer("Gemm", "64"); best != "GemmPeers/64/openblas-Haswell" {
		t.Errorf("the best peer is %q", best)
	}
}

func TestTimesHaveThreeDigits(t *testing.T) {
	for nanoseconds, want := range map[float64]string{0.5: "0.5 ns", 999: "999 ns", 1234: "1.23 µs", 5.6789e7: "56.8 ms", 2e9: "2 s"} {
		if got := duration(nanoseconds); got != want {
			t.Errorf("%g: %q, want %q", nanoseconds, got, want)
		}
	}
}
