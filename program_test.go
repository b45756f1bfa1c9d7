package weft_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/autograd"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/kernels/sim"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/ops"
	"github.com/weft-nd/weft/parallel"
)

var (
	programCount = flag.Int("programs", 300, "number of random programs of each kind")
	firstSeed    = flag.Uint64("seed", 1, "seed of the first random program")
)

// problem is the panic of a call that did not do what the model says.
type problem string

func errorIs(err, reason error) bool { return err != nil && errors.Is(err, reason) }

// rootOf returns the name of the operator that failed first.
func rootOf(err error) string {
	var failure *nd.Error
	if !errors.As(err, &failure) {
		return "?" + err.Error()
	}
	if failure.Root != nil {
		return failure.Root.Operator
	}
	return failure.Operator
}

// compare reads a in one of several ways.
func (w *world) compare(a *nd.Array, integer bool, want expectation, how int) {
	if want.failed == unknown {
		_ = a.Wait(context.Background())
		return
	}
	if how == 0 {
		w.judge(nil, a.Wait(context.Background()), want)
	}
	if how == 1 && a.IsContiguous() {
		var got []float64
		var err error
		if integer {
			err = nd.Read(context.Background(), a, func(all []int64) error { got = floats(all); return nil })
		} else {
			err = nd.Read(context.Background(), a, func(all []float64) error {
				got = slices.Clone(all)
				twice, err := nd.Values[float64](nd.FromSliceIn(w.env, all).MulScalar(2)) // waiting inside is legal
				for i := range twice {
					if twice[i] != 2*got[i] {
						return fmt.Errorf("twice %v is %v", got, twice)
					}
				}
				return err
			})
		}
		w.judge(got, err, want)
		return
	}
	if integer {
		got, err := nd.Values[int64](a)
		w.judge(floats(got), err, want)
		return
	}
	got, err := nd.Values[float64](a)
	w.judge(got, err, want)
}

func (w *world) judge(got []float64, err error, want expectation) {
	switch {
	case w.faulty && want.exposed && err != nil:
	case err != nil && want.failed == "":
		panic(problem(fmt.Sprintf("want %v, got error %v", want.values, err)))
	case err != nil && !slices.Contains(strings.Split(want.failed, "|"), rootOf(err)):
		panic(problem(fmt.Sprintf("want the error of %s, got %v", want.failed, err)))
	case err == nil && want.failed != "":
		panic(problem(fmt.Sprintf("want the error of %s, got %v", want.failed, got)))
	case err == nil && got != nil && !slices.Equal(got, want.values):
		panic(problem(fmt.Sprintf("want %v, got %v", want.values, got)))
	}
}

func floats[T int64 | float64](values []T) []float64 {
	converted := make([]float64, len(values))
	for i, v := range values {
		converted[i] = float64(v)
	}
	return converted
}

var errCallback = errors.New("the callback failed")

// write lets a callback write to a.
func (w *world) write(a *nd.Array, integer, fails bool) error {
	if integer {
		return nd.Write(context.Background(), a, func(all []int64) error { return fillIn(all, fails) })
	}
	return nd.Write(context.Background(), a, func(all []float64) error { return fillIn(all, fails) })
}

func fillIn[T int64 | float64](all []T, fails bool) error {
	for i := range all {
		all[i] = T(i%3 - 1)
	}
	if fails {
		return errCallback
	}
	return nil
}

// visit is write with its error compared. A write that was not run because of a fault is repeated, as the model goes on as
// if it had been.
func (w *world) visit(a *nd.Array, integer, fails bool, failed string, exposed bool) {
	err := w.write(a, integer, fails)
	for tries := 0; w.faulty && exposed && err != nil && !errors.Is(err, errCallback) && a.Wait(context.Background()) == nil; tries++ {
		if tries == 100 {
			panic(problem(fmt.Sprintf("an array that is not in error cannot be written: %v", err)))
		}
		err = w.write(a, integer, fails)
	}
	if w.faulty && exposed && err != nil && !errors.Is(err, errCallback) || failed == unknown {
		return
	}
	if failed == "" && fails != errors.Is(err, errCallback) {
		panic(problem(fmt.Sprintf("a callback that fails: %v, got %v", fails, err)))
	}
	if !fails || failed != "" {
		w.judge(nil, err, expectation{failed: failed, exposed: exposed})
	}
}

// execute makes the calls in order, and returns what went wrong.
func execute(steps []step, w *world, before func(i int)) (failure string) {
	at := 0
	defer func() {
		if reason := recover(); reason != nil {
			failure = fmt.Sprintf("call %d, %s: %v", at, steps[at].text, reason)
			if _, ok := reason.(problem); !ok {
				failure += "\n" + string(debug.Stack())
			}
		}
	}()
	for i, s := range steps {
		at = i
		if before != nil {
			before(i)
		}
		s.run(w)
	}
	return ""
}

// configuration is an engine that programs run on.
type configuration struct {
	name    string
	workers int
	limit   int
}

var configurations = []configuration{{"naive", 1, engine.DefaultLimit}, {"perdevice", 1, engine.DefaultLimit}, {"perdevice", 2, engine.DefaultLimit}, {"perdevice", 2, 8}}

// on runs f with a new engine; it returns what f returns, or that it hangs.
func (c configuration) on(f func(e engine.Engine) string) string {
	pool := parallel.New(c.workers)
	defer pool.Close()
	e, err := engine.New(c.name, engine.WithPool(pool), engine.WithLimit(c.limit))
	if err != nil {
		return err.Error()
	}
	done := make(chan string, 1)
	go func() {
		failure := f(e)
		if err := e.Close(context.Background()); failure == "" && err != nil {
			failure = err.Error()
		}
		done <- failure
	}()
	select {
	case failure := <-done:
		return failure
	case <-time.After(20 * time.Second):
		stacks := make([]byte, 1<<18)
		return "it hangs:\n" + string(stacks[:runtime.Stack(stacks, true)])
	}
}

// program returns the program of a seed.
func program(seed uint64, length int) []instruction {
	r := rand.New(rand.NewPCG(seed, 0))
	all := make([]instruction, length)
	for i := range all {
		all[i] = instruction{i, r.Uint64()}
	}
	return all
}

// trial returns how a program fails, empty if it does not.
type trial func(program []instruction) string

// shrunk returns the program without instructions that its failure does not need.
func shrunk(all []instruction, fails trial) []instruction {
	for size := len(all) / 2; size > 0; size /= 2 {
		for start := 0; start < len(all); {
			rest := slices.Delete(slices.Clone(all), start, min(start+size, len(all)))
			failed := false
			for range 3 {
				failed = failed || fails(rest) != ""
			}
			if failed {
				all = rest
			} else {
				start += size
			}
		}
	}
	return all
}

// report fails the test with the shortest program that was found to fail.
func report(t *testing.T, seed uint64, failure string, all []instruction, fails trial) {
	if !strings.HasPrefix(failure, "it hangs") {
		all = shrunk(all, fails)
	}
	if again := fails(all); again != "" {
		failure = again
	}
	var text strings.Builder
	for _, s := range plan(all, nil) {
		text.WriteString(s.text + "\n")
	}
	t.Fatalf("seed %d: %s\nin\n%s", seed, failure, text.String())
}

func newWorld(e engine.Engine) *world {
	return &world{env: ops.NewEnv(e), arrays: map[int]*nd.Array{}, tapes: map[int]*autograd.Tape{}}
}

// programs returns how many programs a test runs.
func programs(usual int) int {
	if testing.Short() {
		return max(usual/50, 3)
	}
	return usual
}

func TestRandomProgramsDoWhatTheModelDoes(t *testing.T) {
	for _, c := range configurations {
		t.Run(fmt.Sprintf("%s/%d/%d", c.name, c.workers, c.limit), func(t *testing.T) {
			fails := func(program []instruction) string {
				return c.on(func(e engine.Engine) string { return execute(plan(program, nil), newWorld(e), nil) })
			}
			for i := range programs(*programCount) {
				seed := *firstSeed + uint64(i)
				all := program(seed, 60)
				if failure := fails(all); failure != "" {
					report(t, seed, failure, all, fails)
				}
			}
		})
	}
}

// sharedArrays returns arrays that several programs read, and their model.
func sharedArrays(env *nd.Env) (handles []*handle, arrays map[int]*nd.Array) {
	good := &memory{data: []float64{1, -2, 3, 0, 2, -1}, shared: true}
	bad := &memory{data: make([]float64, 1), failed: "take", shared: true}
	indices := &memory{data: []float64{1, 0, 5}, integer: true, shared: true}
	handles = []*handle{
		{id: 1, memory: good, shape: []int{2, 3}, offsets: []int{0, 1, 2, 3, 4, 5}},
		{id: 2, memory: good, shape: []int{3, 2}, offsets: []int{0, 3, 1, 4, 2, 5}, place: 1},
		{id: 3, memory: bad, shape: []int{1}, offsets: []int{0}},
		{id: 4, memory: indices, shape: []int{3}, offsets: []int{0, 1, 2}},
	}
	a := nd.FromSliceIn(env, []float64{1, -2, 3, 0, 2, -1}, 2, 3)
	i := nd.FromSliceIn(env, []int64{1, 0, 5}, 3)
	return handles, map[int]*nd.Array{1: a, 2: a.T().To(device.Sim(0)), 3: a.Index(0).Take(i.Index(nd.Span(2, 3)), 0), 4: i}
}

func TestRandomProgramsAtOnceOnOneEngine(t *testing.T) {
	for _, c := range configurations[1:] {
		t.Run(fmt.Sprintf("%d/%d", c.workers, c.limit), func(t *testing.T) {
			for i := range programs(*programCount / 4) {
				seed := *firstSeed + uint64(4*i)
				failure := c.on(func(e engine.Engine) string {
					env := ops.NewEnv(e)
					_, arrays := sharedArrays(env)
					failures := make([]string, 4)
					var parties sync.WaitGroup
					for k := range failures {
						parties.Go(func() {
							handles, _ := sharedArrays(env)
							w := newWorld(e)
							for id, a := range arrays {
								w.arrays[id] = a
							}
							failures[k] = execute(plan(program(seed+uint64(k), 60), handles), w, nil)
						})
					}
					parties.Wait()
					return strings.Join(failures, "")
				})
				require.Empty(t, failure, "seed %d", seed)
			}
		})
	}
}

var errInjected = errors.New("injected")

func TestRandomProgramsOnFailingDevices(t *testing.T) {
	for _, c := range configurations {
		t.Run(fmt.Sprintf("%s/%d/%d", c.name, c.workers, c.limit), func(t *testing.T) {
			for i := range programs(*programCount) {
				seed := *firstSeed + uint64(i)
				all := program(seed, 60)
				fails := func(program []instruction) string {
					failure := c.on(func(e engine.Engine) string {
						w := newWorld(e)
						w.faulty = true
						r := rand.New(rand.NewPCG(seed, 2))
						return execute(plan(program, nil), w, func(int) { disturb(r) })
					})
					recoverDevices(t)
					return failure
				}
				if failure := fails(all); failure != "" {
					report(t, seed, failure, all, fails)
				}
			}
		})
	}
}

var faultyCommands = []string{"copy", "fill", "add/float64", "mul/float64", "copy/float64", "sum/float64"}

// disturb sometimes makes a device fail, or takes or gives it memory.
func disturb(r *rand.Rand) {
	switch r.IntN(24) {
	case 0, 1:
		sim.Default().InjectFault(faultyCommands[r.IntN(len(faultyCommands))], errInjected)
	case 2:
		place := r.IntN(2)
		sim.Default().SetMemoryLimit(place, sim.Default().Stats(place).InUse+r.IntN(100))
	case 3, 4:
		sim.Default().SetMemoryLimit(r.IntN(2), 4<<30)
	}
}

// recoverDevices uses up what was injected.
func recoverDevices(t *testing.T) {
	for i := range 2 {
		sim.Default().SetMemoryLimit(i, 4<<30)
	}
	env := nd.DefaultEnv().WithDevice(device.Sim(0))
	for tries := 0; ; tries++ {
		x := nd.FromSliceIn(env, []float64{1, 2})
		zeros := nd.ZerosIn(env, dtype.Float64, 2)
		failed := false
		for _, a := range []*nd.Array{zeros.Neg(), x.Add(x), x.Mul(x), x.Copy(), x.Sum()} {
			_, err := nd.Values[float64](a)
			failed = failed || err != nil
		}
		if !failed {
			return
		}
		require.Less(t, tries, 1000, "the faults do not end")
	}
}
