package main

import (
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

// Results are what benchmarks have measured, by their names, in the order of the rounds.
type Results struct {
	times      map[string][]float64 // in nanoseconds
	bandwidths map[string][]float64 // in gigabytes a second, where the benchmark reports that
	rates      map[string][]float64 // in floating-point operations a nanosecond, where it reports that
	peers      *regexp.Regexp       // of names of those to compare with; nil for all
}

// newResults returns Results of no round, to be compared with the peers whose names match.
func newResults(peers *regexp.Regexp) Results {
	return Results{map[string][]float64{}, map[string][]float64{}, map[string][]float64{}, peers}
}

// resultLine is a line of what `go test -bench` prints; the number of processors ends the name.
var resultLine = regexp.MustCompile(`(?m)^Benchmark(\S+?)(?:-\d+)?\s+\d+\s+([0-9.e+]+) ns/op(?:.*?([0-9.e+]+) (GB/s|GFLOPS))?`)

// Add takes the results of one round from what the benchmarks have printed.
func (r Results) Add(output string) {
	for _, match := range resultLine.FindAllStringSubmatch(output, -1) {
		name := match[1]
		if nanoseconds, err := strconv.ParseFloat(match[2], 64); err == nil {
			r.times[name] = append(r.times[name], nanoseconds)
		}
		if rate, err := strconv.ParseFloat(match[3], 64); err == nil {
			of := map[string]map[string][]float64{"GB/s": r.bandwidths, "GFLOPS": r.rates}[match[4]]
			of[name] = append(of[name], rate)
		}
	}
}

// Print writes a table of the cases of the named benchmark: the median time, that of the fastest peer, and how many times
// faster the case is: the median of the rounds, the least and the most. A case without peers, such as exp/1000/kernel,
// is beside those of the case that its name begins with, exp/1000. The last column is the part of what the machine can do, measured in
// the same rounds, where the benchmark has a case for that: see ofMachine.
func (r Results) Print(w io.Writer, name string) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, name+"\ttime\tbest peer\tits time\tratio\tleast\tmost\tof machine\t")
	for _, label := range r.cases(name) {
		own, part := r.times[name+"/"+label], r.ofMachine(name, label)
		peer := r.bestPeer(name, label)
		if peer == "" {
			fmt.Fprintf(table, "%s\t%s\t-\t-\t-\t-\t-\t%s\t\n", label, duration(median(own)), part)
			continue
		}
		theirs := r.times[peer]
		ratios := make([]float64, min(len(own), len(theirs)))
		for round := range ratios {
			ratios[round] = theirs[round] / own[round]
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%.2f\t%.2f\t%.2f\t%s\t\n", label, duration(median(own)),
			peer[strings.LastIndexByte(peer, '/')+1:], duration(median(theirs)), median(ratios), slices.Min(ratios), slices.Max(ratios), part)
	}
	return table.Flush()
}

// cases returns the names of what was measured of the named benchmark.
func (r Results) cases(name string) (labels []string) {
	for key := range r.times {
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

// bestPeer returns the peer of a case with the smallest median, of those to compare with, or nothing.
func (r Results) bestPeer(name, label string) (best string) {
	for {
		prefix := name + "Peers/" + label + "/"
		for key, times := range r.times {
			rest, found := strings.CutPrefix(key, prefix)
			if found && !strings.Contains(rest, "/") && (r.peers == nil || r.peers.MatchString(rest)) && (best == "" || median(times) < median(r.times[best])) {
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

// streams are the cases of a benchmark that only move memory.
var streams = []string{"stream", "read"}

// ofMachine returns in percent which part a case reaches of the bandwidth of the case stream or read, which copies or reads that much
// memory, or as much as any of them; or of the rate of the case limit/<dtype>, which does nothing but multiply and add in registers, for
// cases that begin with its dtype, or for all if there is one alone. It is "-" for others.
func (r Results) ofMachine(name, label string) string {
	if limit := r.limit(name, label); limit != "" && len(r.rates[name+"/"+label]) > 0 {
		return fmt.Sprintf("%.0f%%", 100*median(r.rates[name+"/"+label])/median(r.rates[limit]))
	}
	own, nearest, least := r.bandwidths[name+"/"+label], "", math.Inf(1)
	for key := range r.bandwidths {
		kind, _, _ := strings.Cut(strings.TrimPrefix(key, name+"/"), "/")
		if !slices.Contains(streams, kind) || strings.HasSuffix(key, "/kernel") {
			continue
		}
		if away := math.Abs(math.Log(r.bytes(key) / r.bytes(name+"/"+label))); away < least || away == least && key < nearest {
			nearest, least = key, away
		}
	}
	if len(own) == 0 || nearest == "" {
		return "-"
	}
	return fmt.Sprintf("%.0f%%", 100*median(own)/median(r.bandwidths[nearest]))
}

// limit returns the case of a benchmark that tells the limit of another, or nothing.
func (r Results) limit(name, label string) string {
	var all []string
	for key := range r.rates {
		if strings.HasPrefix(key, name+"/limit/") {
			all = append(all, key)
		}
	}
	kind, _, _ := strings.Cut(label, "/")
	if own := name + "/limit/" + kind; slices.Contains(all, own) {
		return own
	}
	if len(all) == 1 {
		return all[0]
	}
	return ""
}

// bytes returns how much memory a call of a case moves.
func (r Results) bytes(key string) float64 {
	if len(r.bandwidths[key]) == 0 {
		return 0
	}
	return median(r.bandwidths[key]) * median(r.times[key])
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
