package bench

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// program is a peer in C++, or in Go.
type program struct {
	name    string
	source  string   // in the folder peers: a file of C++, or the folder of a Go module
	library string   // as pkg-config knows it, if it is not GCC's own
	header  string   // of a library that pkg-config does not know
	flags   []string // of g++
	cases   []string
}

var programs = []program{
	{name: "mxnet-shaped", source: "mxnet.cpp", flags: []string{"-pthread"}, cases: []string{"chain", "independent", "add64"}},
	{name: "libgomp", source: "libgomp.cpp", flags: []string{"-fopenmp"}, cases: []string{"chain", "independent"}},
	{name: "libgomp-taskwait", source: "libgomp.cpp", flags: []string{"-fopenmp", "-DTASKWAIT=64"}, cases: []string{"chain", "independent", "add64"}},
	{name: "tbb", source: "tbb.cpp", library: "tbb", cases: []string{"independent"}},
	{name: "starpu", source: "starpu.cpp", library: "starpu-1.3", cases: []string{"chain", "independent", "add64"}},
}

// BenchmarkPeers measures what else there is, on the cases of BenchmarkEngine, as BenchmarkPeers/<case>/<peer>: the C++
// programs of the folder peers, built where g++ and their libraries are (Debian packages g++, pkg-config, libtbb-dev,
// libstarpu-dev) and skipped elsewhere, and channels and goroutines of Go.
func BenchmarkPeers(b *testing.B) {
	folder := b.TempDir()
	for _, p := range programs {
		build := sync.OnceValues(func() (string, error) { return p.build(folder) })
		for _, c := range p.cases {
			b.Run(c+"/"+p.name, func(b *testing.B) {
				binary, err := build()
				if errors.As(err, new(missing)) {
					b.Skip(err)
				}
				if err != nil {
					b.Fatal(err)
				}
				b.ResetTimer() // The compiler's time is none of the peer's.
				p.run(b, binary, c)
			})
		}
	}
	b.Run("independent/chan", channelTasks)
	b.Run("independent/goroutine", goroutineTasks)
	b.Run("wait/hot/chan", channelHot)
	b.Run("wait/idle1ms/chan", channelIdle)
}

// missing says what this machine lacks to build a program.
type missing string

// Error implements error.
func (m missing) Error() string { return string(m) }

// gorgonia is gorgonia.org/tensor.
var gorgonia = program{name: "gorgonia", source: "gorgonia"}

// build compiles p into folder.
func (p program) build(folder string) (binary string, err error) {
	if filepath.Ext(p.source) == "" {
		binary = filepath.Join(folder, p.name)
		if _, err := output("go", "-C", filepath.Join("peers", p.source), "build", "-o", binary); err != nil {
			return "", missing(err.Error())
		}
		return binary, nil
	}
	if _, err := exec.LookPath("g++"); err != nil {
		return "", missing("there is no compiler: " + err.Error())
	}
	binary = filepath.Join(folder, p.name)
	arguments := append([]string{"-std=c++17", "-O3", "-DNDEBUG", filepath.Join("peers", p.source), "-o", binary}, p.flags...)
	if p.library != "" {
		flags, err := output("pkg-config", "--cflags", "--libs", p.library)
		if err != nil {
			return "", missing(fmt.Sprintf("there is no library %s: %v", p.library, err))
		}
		arguments = append(arguments, strings.Fields(flags)...)
	}
	if p.header != "" {
		if _, err := output("g++", "-fsyntax-only", "-x", "c++", "-include", p.header, os.DevNull); err != nil {
			return "", missing(fmt.Sprintf("there is no header %s: %v", p.header, err))
		}
	}
	_, err = output("g++", arguments...)
	return binary, err
}

// run lets the program run b.N operations, on as many workers as Go has processors, and reports the time it tells.
func (p program) run(b *testing.B, binary, c string) {
	b.ReportMetric(told(b, binary, c, strconv.Itoa(b.N), strconv.Itoa(runtime.GOMAXPROCS(0))), "ns/op")
}

// measurer builds p when it is first needed and returns a function that gives the program the arguments, and how long to measure, and
// reports and returns the time it tells. The benchmark is skipped where the compiler or the library is missing, or the library lacks the
// case.
func (p program) measurer(b *testing.B) (measure func(b *testing.B, arguments ...any) (nanoseconds float64)) {
	folder := b.TempDir()
	build := sync.OnceValues(func() (string, error) { return p.build(folder) })
	return func(b *testing.B, arguments ...any) float64 {
		binary, err := build()
		if errors.As(err, new(missing)) {
			b.Skip(err)
		}
		if err != nil {
			b.Fatal(err)
		}
		nanoseconds := told(b, binary, strings.Fields(fmt.Sprintln(append(arguments, benchtime().Seconds())...))...)
		for b.Loop() {
			continue // The program has measured already, as often as it takes.
		}
		b.ReportMetric(nanoseconds, "ns/op")
		return nanoseconds
	}
}

// told runs a peer and returns the nanoseconds of an operation that it prints.
func told(b *testing.B, name string, arguments ...string) (nanoseconds float64) {
	text, err := output(name, arguments...)
	if err != nil {
		b.Fatal(err)
	}
	if reason, lacking := strings.CutPrefix(text, "missing "); lacking {
		b.Skip(reason)
	}
	if _, err := fmt.Sscanf(text, "ns/op %g", &nanoseconds); err != nil {
		b.Fatalf("%s told %q: %v", name, text, err)
	}
	return nanoseconds
}

// output runs a command; its error contains what the command complained of.
func output(name string, arguments ...string) (string, error) {
	command := exec.Command(name, arguments...)
	command.Env = append(os.Environ(), "OMP_NUM_THREADS=2", "ASSUME_NO_MOVING_GC_UNSAFE_RISK_IT_WITH="+goRelease())
	var complaint bytes.Buffer
	command.Stderr = &complaint
	told, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w\n%s", name, err, complaint.String())
	}
	return string(told), nil
}

// goRelease is the release of Go, without the patch: a package that gorgonia.org/tensor imports asks to be told that it is meant.
func goRelease() string {
	parts := strings.SplitN(runtime.Version(), ".", 3)
	return strings.Join(parts[:min(2, len(parts))], ".")
}
