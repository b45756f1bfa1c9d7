// Command peers measures benchmarks of the package bench beside their peers and prints a table of ratios. A benchmark
// with peers is one for which there is a second of its name with the suffix Peers, whose cases end with a peer's name. Both
// run in turn, round by round, so that what else the machine does meets both alike.
//
// The arguments name benchmarks, without the word Benchmark, and perhaps cases as the flag -bench of go test does:
// "Unary/exp". None are all that have peers. A name or a case that there is not is an error.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// noticeable is the part of the processors' time from which on its loss shows in the times of many rounds.
const noticeable = 0.005

func main() {
	rounds := flag.Int("rounds", 9, "how often everything is measured")
	benchtime := flag.String("benchtime", "100ms", "how long a case is measured in a round, or how often, such as 10x")
	folder := flag.String("folder", "bench", "folder of the benchmarks")
	peers := flag.String("peers", "", "regular expression of the peers to compare with, such as openblas")
	flag.Parse()
	chosen, err := regexp.Compile(*peers)
	if err == nil {
		err = run(*folder, *rounds, *benchtime, chosen, flag.Args())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

func run(folder string, rounds int, benchtime string, peers *regexp.Regexp, patterns []string) error {
	temporary, err := os.MkdirTemp("", "peers")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temporary)
	binary := filepath.Join(temporary, "bench.test")
	build := exec.Command("go", "test", "-c", "-o", binary, ".")
	build.Dir, build.Stdout, build.Stderr = folder, os.Stderr, os.Stderr
	if err := build.Run(); err != nil {
		return fmt.Errorf("%v: %w", build, err)
	}
	names, err := benchmarks(folder, binary)
	if err != nil {
		return err
	}
	if len(patterns) == 0 {
		patterns = withPeers(names)
	}
	if err := checkPatterns(patterns, names); err != nil {
		return err
	}
	for _, pattern := range patterns {
		name, cases, _ := strings.Cut(pattern, "/")
		filter := "^Benchmark" + name + "(Peers)?$"
		if cases != "" {
			filter += "/" + cases
		}
		results, before := newResults(peers), readProcessorTime()
		for round := range rounds {
			fmt.Fprintf(os.Stderr, "\r%s: round %d of %d ", pattern, round+1, rounds)
			output, err := benchmark(folder, binary, "-test.run", "^$", "-test.bench", filter, "-test.benchtime", benchtime)
			if err != nil {
				return err
			}
			results.Add(output)
			if len(results.cases(name)) == 0 {
				return fmt.Errorf("%s: no case matches", pattern)
			}
		}
		fmt.Fprintln(os.Stderr)
		if stolen := readProcessorTime().stolenSince(before); stolen >= noticeable {
			fmt.Fprintf(os.Stderr, "%s: the hypervisor gave %.1f%% of the processors' time to others\n", pattern, 100*stolen)
		}
		if err := results.Print(os.Stdout, name); err != nil {
			return err
		}
	}
	return nil
}

// benchmarks returns the names of all benchmarks, without the word Benchmark.
func benchmarks(folder, binary string) (names []string, err error) {
	list, err := benchmark(folder, binary, "-test.list", "^Benchmark")
	for line := range strings.Lines(list) {
		if name, found := strings.CutPrefix(strings.TrimSpace(line), "Benchmark"); found {
			names = append(names, name)
		}
	}
	return names, err
}

// withPeers returns those of the named benchmarks that have peers.
func withPeers(names []string) (having []string) {
	for _, name := range names {
		if name, found := strings.CutSuffix(name, "Peers"); found && name != "" {
			having = append(having, name)
		}
	}
	return having
}

// checkPatterns fails if a pattern names none of the benchmarks.
func checkPatterns(patterns, names []string) error {
	for _, pattern := range patterns {
		wanted, _, _ := strings.Cut(pattern, "/")
		if slices.Contains(names, wanted) {
			continue
		}
		for _, name := range names {
			if strings.EqualFold(name, wanted) {
				return fmt.Errorf("%s: no benchmark has this name; did you mean %s?", pattern, name)
			}
		}
		return fmt.Errorf("%s: no benchmark has this name; those with peers are %s", pattern, strings.Join(withPeers(names), ", "))
	}
	return nil
}

func benchmark(folder, binary string, arguments ...string) (output string, err error) {
	command := exec.Command(binary, arguments...)
	command.Dir, command.Stderr = folder, os.Stderr
	text, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("%v: %w\n%s", command, err, text)
	}
	return string(text), nil
}
