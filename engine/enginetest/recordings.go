package enginetest

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
)

var recordings = []property{
	{"ABulkOperatorDoesWhatItsOperationsDo", recorded},
	{"ABulkOperatorMayBePushedByManyAtATime", recordedByMany},
	{"ABulkOperatorFailsAsItsOperationsDo", recordedFailures},
	{"TheScopeOfAnOperationInABulkOperatorIsItsOwn", recordedScopes},
	{"ABulkOperatorOfWhatBulksDoNotGatherIsRefused", recordedMisuse},
}

// recorded repeats random steps on 8 variables, as operations and as a bulk operator, and compares contents and versions.
func recorded(t *testing.T, new factory) {
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 3))
		s := start(t, new)
		single, bulk := s.variables(8), s.variables(8)
		var singles, bulks [8]int
		var operations []engine.Operation
		var plain []*engine.Operation
		for range 1 + random.IntN(20) {
			from, to, factor := random.IntN(8), random.IntN(8), 1+random.IntN(5)
			step := func(values *[8]int, vars []*engine.Var) *engine.Operation {
				accesses := []engine.Access{read(vars[from]), update(vars[to])}
				if factor == 5 {
					accesses = []engine.Access{part(read(vars[from]), 0, 4), part(update(vars[to]), 0, 8)}
				}
				return leaf("step", func() { values[to] = (values[to]*factor + values[from] + 1) % 1000003 }, accesses...)
			}
			plain = append(plain, step(&singles, single))
			operations = append(operations, *step(&bulks, bulk))
		}
		operator := s.NewBulkOperator(operations...)
		for range 50 {
			for _, op := range plain {
				s.Push(op)
			}
			s.Push(operator)
		}
		s.requireDone()
		require.Equal(t, singles, bulks)
		for i := range single {
			require.Equal(t, single[i].Version(), bulk[i].Version())
			require.Equal(t, single[i].Sequence(), bulk[i].Sequence())
		}
		require.Equal(t, s.Stats().Pushed, s.Stats().Done)
		require.EqualValues(t, 2*50*len(plain), s.Stats().Done)
	}
}

func recordedByMany(t *testing.T, new factory) {
	s := start(t, new)
	a, b := s.NewVar(), s.NewVar()
	var x, y int
	operator := s.NewBulkOperator(
		*leaf("x", func() { x++ }, update(a)), *leaf("y", func() { y += x }, read(a), update(b)), *leaf("x", func() { x++ }, update(a)),
	)
	const pushers, times = 4, 500
	var all sync.WaitGroup
	for range pushers {
		all.Go(func() {
			for range times {
				s.Push(operator)
			}
		})
	}
	all.Wait()
	s.requireDone()
	const n = pushers * times
	require.Equal(t, []int{2 * n, n * n}, []int{x, y})
	require.Equal(t, []uint64{2 * n, n}, []uint64{a.Version(), b.Version()})
}

func recordedFailures(t *testing.T, new factory) {
	s := start(t, new)
	good, bad, behind, cured := s.NewVar(), s.NewVar(), s.NewVar(), s.NewVar()
	operator := s.NewBulkOperator(
		*leaf("good", func() {}, update(good)), *failing("bad", errBroken, write(bad)), *leaf("behind", func() { t.Error("it ran") }, read(bad), write(behind)),
		*failing("bad", errors.New("first"), write(cured)), *leaf("cure", func() {}, write(cured)),
	)
	for n := range uint64(3) {
		s.Push(operator)
		require.NoError(t, s.wait(good))
		require.NoError(t, s.wait(cured))
		require.ErrorIs(t, s.wait(bad), errBroken)
		require.ErrorIs(t, s.wait(behind), errBroken)
		require.Equal(t, []uint64{n + 1, 0, 0, n + 1}, []uint64{good.Version(), bad.Version(), behind.Version(), cured.Version()})
	}
	require.Equal(t, engine.Stats{Pushed: 15, Done: 15, Failed: 6, Skipped: 3}, s.Stats())
}

// recordedScopes pushes an operator twice, before and after the scope of an operation in its middle ends.
func recordedScopes(t *testing.T, new factory) {
	s := start(t, new)
	a, b, c := s.NewVar(), s.NewVar(), s.NewVar()
	ctx, cancel := context.WithCancel(context.Background())
	ran := ""
	note := func(name string) func() { return func() { ran += name } }
	scoped := leaf("scoped", note("b"), update(b))
	scoped.Context = ctx
	operator := s.NewBulkOperator(*leaf("before", note("a"), update(a)), *scoped, *leaf("after", note("c"), update(c)))
	s.Push(operator)
	s.requireDone()
	cancel()
	s.Push(operator)
	require.NoError(t, s.wait(a))
	require.ErrorIs(t, s.wait(b), context.Canceled)
	require.NoError(t, s.wait(c))
	require.Equal(t, "abcac", ran)
}

func recordedMisuse(t *testing.T, new factory) {
	s := start(t, new)
	v := s.NewVar()
	fine := *leaf("fine", func() {}, update(v))
	elsewhere := fine
	elsewhere.Device = device.CPU(1)
	urgent := fine
	urgent.Priority = 1
	deletes := fine
	deletes.Property = engine.DeleteVar
	for name, operations := range map[string][]engine.Operation{
		"none":         nil,
		"a host's":     {fine, *hosted("host", func() {}, read(v))},
		"a stream's":   {{Name: "stream", Function: fine.Function, Device: simulated(0)}},
		"two devices":  {fine, elsewhere},
		"a priority":   {urgent},
		"a deletion":   {fine, deletes},
		"no function":  {fine, {Name: "nothing"}},
		"nil variable": {fine, *leaf("bad", func() {}, read(nil))},
		"a recording":  {fine, *s.NewBulkOperator(fine)},
	} {
		t.Run(name, func(t *testing.T) {
			e := recoverError(t, func() { s.NewBulkOperator(operations...) })
			require.ErrorIs(t, e, fault.ErrMisuse)
		})
	}
	operator := s.NewBulkOperator(fine, fine)
	s.DeleteOperator(operator)
	require.ErrorIs(t, recoverError(t, func() { s.Push(operator) }), fault.ErrMisuse)
	again := s.NewBulkOperator(fine)
	s.DeleteVar(v, nil)
	require.ErrorIs(t, recoverError(t, func() { s.Push(again) }), fault.ErrMisuse)
	s.requireDone()
}
