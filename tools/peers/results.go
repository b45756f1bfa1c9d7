package main

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

// Results are the times of benchmarks in nanoseconds, by their names, in the order of the rounds.
type Results map[string][]float64

// resultLine is a line of what `go test -bench` prints; the number of processors ends the name.
var resultLine = regexp.MustCompile(`(?m)^Benchmark(\S+?)(?:-\d+)?\s+\d+\s+([0-9.e+]+) ns/op`)

// Add takes the results of one round from what the benchmarks have printed.
func (r Results) Add(output string) {
	for _, match := range resultLine.FindAllStringSubmatch(output, -1) {
		if nanoseconds, err := strconv.ParseFloat(match[2], 64); err == nil {
			r[match[1]] = append(r[match[1]], nanoseconds)
		}
	}
}

// Print writes a table of the cases of the named benchmark: the median time, that of the fastest peer, and how many times
// faster the case is: the median of the rounds, the least and the most. A case without peers, such as exp/1000/kernel,
// is beside those of the case that its name begins with, exp/1000.
func (r Results) Print(w io.Writer, name string) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, name+"\ttime\tbest peer\tits time\tratio\tleast\tmost\t")
	for _, label := range r.cases(name) {
		own := r[name+"/"+label]
		peer := r.bestPeer(name, label)
		if peer == "" {
			fmt.Fprintf(table, "%s\t%s\t-\t-\t-\t-\t-\t\n", label, duration(median(own)))
			continue
		}
		theirs := r[peer]
		ratios := make([]float64, min(len(own), len(theirs)))
		for round := range ratios {
			ratios[round] = theirs[round] / own[round]
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%.2f\t%.2f\t%.2f\t\n", label, duration(median(own)),
			peer[strings.LastIndexByte(peer, '/')+1:], duration(median(theirs)), median(ratios), slices.Min(ratios), slices.Max(ratios))
	}
	return table.Flush()
}

// cases returns the names of what was measured of the named benchmark.
func (r Results) cases(name string) (labels []string) {
	for key := range r {
		if label, found := strings.CutPrefix(key, name+"/"); found {
			labels = append(labels, label)
		}
	}
	slices.SortFunc(labels, compareNames)
	return labels
}

// compareNames sorts the parts of names, numbers by their size.
func compareNames(a, b string) int {
	return slices.CompareFunc(strings.Split(a, "/"), strings.Split(b, "/"), func(a, b string) int {
		x, errX := strconv.Atoi(a)
		y, errY := strconv.Atoi(b)
		if errX == nil && errY == nil {
			return x - y
		}
		return strings.Compare(a, b)
	})
}

// bestPeer returns the peer of a case with the smallest median, or nothing.
func (r Results) bestPeer(name, label string) (best string) {
	for {
		prefix := name + "Peers/" + label + "/"
		for key, times := range r {
			rest, found := strings.CutPrefix(key, prefix)
			if found && !strings.Contains(rest, "/") && (best == "" || median(times) < median(r[best])) {
				best = key
			}
		}
		end := strings.LastIndexByte(label, '/')
		if best != "" || end < 0 {
			return best
		}
		label = label[:end]
	}
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}

// duration formats nanoseconds with three digits.
func duration(nanoseconds float64) string {
	for _, unit := range []struct {
		name  string
		limit float64
		scale float64
	}{{"ns", 1e3, 1}, {"µs", 1e6, 1e3}, {"ms", 1e9, 1e6}} {
		if nanoseconds < unit.limit {
			return strconv.FormatFloat(nanoseconds/unit.scale, 'g', 3, 64) + " " + unit.name
		}
	}
	return strconv.FormatFloat(nanoseconds/1e9, 'g', 3, 64) + " s"
}
