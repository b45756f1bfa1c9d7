package fault

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// sight is what Here returned, what runtime.Callers found in the same place, and whether Here trusts the frame pointers.
type sight struct {
	site    *Site
	truth   []runtime.Frame
	trusted bool
}

// skips is how many sights a look takes, each leaving out one frame more.
const skips = 3

type looks [][]sight

// look takes sights at every skip.
//
//go:noinline
func (l *looks) look() {
	var seen []sight
	for skip := range skips {
		site, truth := Here(skip), calledFrom(skip)
		seen = append(seen, sight{site, truth, trusted(site)})
	}
	*l = append(*l, seen)
}

func calledFrom(skip int) []runtime.Frame {
	counters := make([]uintptr, depth)
	return resolve(counters[:runtime.Callers(skip+2, counters)])
}

func resolve(counters []uintptr) (all []runtime.Frame) {
	frames := runtime.CallersFrames(counters)
	for more := true; more; {
		var frame runtime.Frame
		frame, more = frames.Next()
		all = append(all, runtime.Frame{Function: frame.Function, File: frame.File, Line: frame.Line})
	}
	return all
}

// trusted reports whether Here finds the site without asking runtime.Callers.
func trusted(site *Site) bool {
	for set := range recent {
		for way := range recent[set] {
			if e := recent[set][way].Load(); e != nil && e.site == site {
				return true
			}
		}
	}
	for key := range latest {
		if e := latest[key].Load(); e != nil && e.site == site {
			return true
		}
	}
	return false
}

//go:noinline
func recurse(levels int, f func()) int {
	if levels == 0 {
		f()
		return 0
	}
	return recurse(levels-1, f) + 1
}

func inlinedTwice(f func()) { inlinedOnce(f) }
func inlinedOnce(f func())  { f() }

//go:noinline
func generic[T any](value T, f func()) T {
	f()
	return value
}

type visitor interface{ visit(f func()) }

type byValue int

//go:noinline
func (v byValue) visit(f func()) { f() }

type promoted struct{ *byValue }

//go:noinline
func load(p *int) int { return *p }

//go:noinline
func deferring(f func()) { defer f() }

//go:noinline
func panicking(f func()) {
	defer func() { _ = recover() }()
	defer f()
	panic("expected")
}

//go:noinline
func faulting(second bool, f func()) {
	defer func() { _ = recover() }()
	defer f()
	if second {
		load(nil)
	} else {
		load(nil)
	}
}

func inGoroutine(f func()) {
	var done sync.WaitGroup
	done.Go(f)
	done.Wait()
}

func TestHereAgreesWithCallers(t *testing.T) {
	var here visitor = new(byValue)
	cases := map[string]func(f func()){
		"direct":             func(f func()) { f() },
		"deeper than a site": func(f func()) { recurse(3*depth, f) },
		"recursive":          func(f func()) { recurse(7, f) },
		"inlined":            func(f func()) { inlinedTwice(f) },
		"generic":            func(f func()) { generic(1, func() { generic("", f) }) },
		"method":             func(f func()) { byValue(0).visit(f) },
		"method value":       func(f func()) { visit := here.visit; visit(f) },
		"method expression":  func(f func()) { (*byValue).visit(new(byValue), f) },
		"through wrappers":   func(f func()) { here.visit(func() { visitor(promoted{new(byValue)}).visit(f) }) },
		"deferred":           deferring,
		"deferred in a loop": func(f func()) {
			for range 2 {
				defer f()
			}
		},
		"panicking": panicking,
		"recovered": func(f func()) { panicking(func() {}); f() },
		"closure":   func(f func()) { func() { func() { f() }() }() },
		"goroutine": inGoroutine,
		"root of a goroutine": func(f func()) {
			done := make(chan bool)
			root := func() { f(); close(done) }
			go root()
			<-done
		},
		"iterator": func(f func()) {
			for range slices.Values([]int{1, 2}) {
				f()
			}
		},
		"coroutine": func(f func()) {
			next, stop := iter.Pull(func(yield func(int) bool) { f(); yield(1); f() })
			defer stop()
			next()
			next()
		},
		"reflection": func(f func()) {
			made := reflect.MakeFunc(reflect.TypeFor[func()](), func([]reflect.Value) []reflect.Value { f(); return nil })
			made.Call(nil)
			made.Interface().(func())()
		},
		"comparison in a sort": func(f func()) {
			slices.SortFunc([]int{2, 1}, func(a, b int) int { f(); return a - b })
		},
		"sync.Once": func(f func()) { new(sync.Once).Do(f) },
	}
	for name, run := range cases {
		t.Run(name, func(t *testing.T) {
			for _, seen := range requireAgreement(t, run) {
				for _, s := range seen {
					require.True(t, s.trusted, "%s", s.site)
				}
			}
		})
	}
}

// A function without a frame that faults leaves the frame of its caller out of the chain of frame pointers.
func TestHereAgreesWithCallersBehindAFault(t *testing.T) {
	second := false
	requireAgreement(t, func(f func()) {
		faulting(second, f)
		second = !second
	})
}

// A call path with more wrapped methods than a trail has room for.
func TestHereAgreesWithCallersBehindManyWrappers(t *testing.T) {
	var here visitor = new(byValue)
	requireAgreement(t, func(f func()) {
		for range 2 * depth {
			inside := f
			f = func() { here.visit(inside) }
		}
		f()
	})
}

// requireAgreement runs a call path to look a few times and compares what it saw.
func requireAgreement(t *testing.T, run func(f func())) (seen looks) {
	t.Helper()
	for range 4 {
		run(seen.look)
	}
	require.NotEmpty(t, seen)
	for _, sights := range seen {
		for skip, s := range sights {
			used := slices.Index(append(s.site.counters[:], 0), 0)
			require.Equal(t, s.truth, resolve(s.site.counters[:used]), "skip %d", skip)
		}
	}
	return seen
}

func TestEqualCallPathsShareASite(t *testing.T) {
	var seen *Site
	for range 3 {
		site := Here(0)
		if seen != nil {
			require.Same(t, seen, site)
		}
		seen = site
	}
	frame, found := seen.Frame()
	require.True(t, found)
	require.Contains(t, frame.Function, "TestEqualCallPathsShareASite")
	require.Empty(t, (*Site)(nil).String())
}

func TestLinesDiffer(t *testing.T) {
	_, _, line, _ := runtime.Caller(0)
	for range 2 {
		first := Here(0)
		second := Here(0)
		require.Equal(t, fmt.Sprintf("site_test.go:%d", line+2), first.String())
		require.Equal(t, fmt.Sprintf("site_test.go:%d", line+3), second.String())
	}
}

// One line that is come to on many ways, of which some are others' beginnings, so that each is the latest by turns.
func TestWaysToOneLineAreToldApart(t *testing.T) {
	ways := []func(f func()){inlinedOnce, inlinedTwice, func(f func()) { generic(0, f) }}
	for levels := range 2 * reach {
		ways = append(ways, func(f func()) { recurse(levels, f) })
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 20 * len(ways) {
		ways[random.IntN(len(ways))](func() {
			for range 1 + random.IntN(2) {
				for skip := range skips {
					site, truth := Here(skip), calledFrom(skip)
					require.Equal(t, truth, resolve(site.counters[:max(1, len(truth))])[:len(truth)])
				}
			}
		})
	}
}

func TestHereAllocatesNothingForARepeatedCallPath(t *testing.T) {
	for _, levels := range []int{0, 8, 2 * depth} {
		recurse(levels, func() { require.Zero(t, testing.AllocsPerRun(100, func() { Here(1) })) })
	}
}

func BenchmarkHere(b *testing.B) {
	for _, levels := range []int{0, 8, 16, 32} {
		b.Run(fmt.Sprintf("levels=%d", levels), func(b *testing.B) {
			b.ReportAllocs()
			recurse(levels, func() {
				for b.Loop() {
					Here(1)
				}
			})
		})
	}
}
