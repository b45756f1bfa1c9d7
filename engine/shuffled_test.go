package engine_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/engine/enginetest"
	"github.com/weft-nd/weft/fault"
)

func newShuffled(seed uint64) func(...engine.Option) engine.Engine {
	return func(opts ...engine.Option) engine.Engine { return engine.NewShuffled(seed, opts...) }
}

func TestShuffled(t *testing.T) {
	seeds := uint64(3)
	if testing.Short() {
		seeds = 1
	}
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { enginetest.RunAll(t, newShuffled(seed)) })
	}
}

// graph is operations by the numbers of the variables that they read and write.
type graph []struct{ reads, writes []int }

// conflict reports whether the order of two operations matters.
func (g graph) conflict(i, j int) bool {
	writesWhatIsUsed := func(a, b int) bool {
		return slices.ContainsFunc(g[a].writes, func(v int) bool { return slices.Contains(g[b].reads, v) || slices.Contains(g[b].writes, v) })
	}
	return writesWhatIsUsed(i, j) || writesWhatIsUsed(j, i)
}

// orders returns all legal ones.
func (g graph) orders() map[string]bool {
	found := map[string]bool{}
	var extend func(order []int)
	extend = func(order []int) {
		if len(order) == len(g) {
			found[fmt.Sprint(order)] = true
		}
		for next := range g {
			legal := !slices.Contains(order, next)
			for earlier := range next {
				legal = legal && (!g.conflict(earlier, next) || slices.Contains(order, earlier))
			}
			if legal {
				extend(append(slices.Clone(order), next))
			}
		}
	}
	extend(nil)
	return found
}

// run returns the order in which e runs g. Every waitEvery-th push is followed by a wait for what it writes, none for 0.
func (g graph) run(t *testing.T, e engine.Engine, waitEvery int) []int {
	vars := map[int]*engine.Var{}
	access := func(number int, mode engine.Mode) engine.Access {
		if vars[number] == nil {
			vars[number] = e.NewVar()
		}
		return engine.Access{Var: vars[number], Mode: mode}
	}
	var order []int
	for i, node := range g {
		op := &engine.Operation{Name: "node", Function: engine.FunctionOf(func(*engine.RunContext) error { order = append(order, i); return nil })}
		for _, v := range node.reads {
			op.Accesses = append(op.Accesses, access(v, engine.Read))
		}
		for _, v := range node.writes {
			op.Accesses = append(op.Accesses, access(v, engine.Write))
		}
		e.Push(op)
		if waitEvery > 0 && i%waitEvery == waitEvery-1 && len(node.writes) > 0 {
			require.NoError(t, e.Wait(context.Background(), vars[node.writes[0]]))
		}
	}
	require.NoError(t, e.WaitAll(context.Background()))
	require.NoError(t, e.Close(context.Background()))
	return order
}

func TestShuffledRunsEveryLegalOrderAndNoOther(t *testing.T) {
	for name, c := range map[string]struct {
		graph graph
		count int
	}{
		"independent":              {graph{{nil, []int{0}}, {nil, []int{1}}, {nil, []int{2}}, {nil, []int{3}}}, 24},
		"diamond":                  {graph{{nil, []int{0}}, {[]int{0}, []int{1}}, {[]int{0}, []int{2}}, {[]int{1, 2}, []int{3}}}, 2},
		"diamond with a bystander": {graph{{nil, []int{0}}, {nil, []int{4}}, {[]int{0}, []int{1}}, {[]int{0}, []int{2}}, {[]int{1, 2}, []int{3}}}, 10},
		"readers between writers":  {graph{{nil, []int{0}}, {[]int{0}, nil}, {[]int{0}, nil}, {[]int{0}, nil}, {nil, []int{0}}}, 6},
		"chain":                    {graph{{nil, []int{0}}, {[]int{0}, []int{1}}, {[]int{1}, []int{2}}}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			want, got := c.graph.orders(), map[string]bool{}
			require.Len(t, want, c.count)
			for seed := range uint64(1000) {
				got[fmt.Sprint(c.graph.run(t, engine.NewShuffled(seed), 0))] = true
			}
			require.Equal(t, want, got)
		})
	}
}

func randomGraph(random *rand.Rand, length, variables int) graph {
	g := make(graph, length)
	for i := range g {
		g[i].writes = []int{random.IntN(variables)}
		for range random.IntN(4) {
			g[i].reads = append(g[i].reads, random.IntN(variables))
		}
	}
	return g
}

// The engine also runs what nobody pushes behind for a while; in a bubble no time passes while a goroutine can run.
func TestTheScheduleOfShuffledDependsOnTheSeedAlone(t *testing.T) {
	g := randomGraph(rand.New(rand.NewPCG(1, 2)), 500, 100)
	run := func(seed uint64, limit, waitEvery int) (order []int) {
		synctest.Test(t, func(t *testing.T) { order = g.run(t, engine.NewShuffled(seed, engine.WithLimit(limit)), waitEvery) })
		return order
	}
	for _, waitEvery := range []int{0, 7, 100} {
		for _, limit := range []int{engine.DefaultLimit, 20} {
			seen := map[string]bool{}
			for seed := range uint64(10) {
				order := run(seed, limit, waitEvery)
				for range 3 {
					require.Equal(t, order, run(seed, limit, waitEvery))
				}
				seen[fmt.Sprint(order)] = true
			}
			require.Len(t, seen, 10, "every seed has a schedule of its own")
		}
	}
}

// forgetful is an engine with a mistake: it does not see every fiftieth read.
type forgetful struct {
	engine.Engine
	reads int
}

func (f *forgetful) Push(op *engine.Operation) {
	op.Accesses = slices.DeleteFunc(op.Accesses, func(a engine.Access) bool {
		if a.Mode == engine.Read {
			f.reads++
		}
		return a.Mode == engine.Read && f.reads%50 == 0
	})
	f.Engine.Push(op)
}

// sums evaluates the sums of a random graph on e and returns its variables.
func (g graph) sums(t *testing.T, e engine.Engine) []float64 {
	data := make([]float64, len(g))
	vars := make([]*engine.Var, len(g))
	for i := range vars {
		data[i], vars[i] = 1, e.NewVar()
	}
	for i, node := range g {
		op := &engine.Operation{Name: "sum", Function: engine.FunctionOf(func(*engine.RunContext) error {
			total := float64(i)
			for _, v := range node.reads {
				total += data[v]
			}
			data[node.writes[0]] = total / float64(len(node.reads)+1)
			return nil
		})}
		for _, v := range node.reads {
			op.Accesses = append(op.Accesses, engine.Access{Var: vars[v]})
		}
		op.Accesses = append(op.Accesses, engine.Access{Var: vars[node.writes[0]], Mode: engine.Write})
		e.Push(op)
	}
	require.NoError(t, e.WaitAll(context.Background()))
	require.NoError(t, e.Close(context.Background()))
	return data
}

// TestShuffledFindsAForgottenAccess has an engine that forgets accesses compute what the other engines cannot tell from the
// serial run.
func TestShuffledFindsAForgottenAccess(t *testing.T) {
	g := randomGraph(rand.New(rand.NewPCG(3, 4)), 2000, 100)
	want := g.sums(t, engine.NewNaive())
	require.Equal(t, want, g.sums(t, &forgetful{Engine: engine.NewNaive()}), "it runs in the order of the pushes")
	const seeds = 10
	found := 0
	for seed := range uint64(seeds) {
		require.Equal(t, want, g.sums(t, engine.NewShuffled(seed)))
		if !slices.Equal(want, g.sums(t, &forgetful{Engine: engine.NewShuffled(seed)})) {
			found++
		}
	}
	require.GreaterOrEqual(t, found, seeds-1, "seeds that find it")
}

func TestTheSeedOfShuffledComesFromTheEnvironment(t *testing.T) {
	g := randomGraph(rand.New(rand.NewPCG(5, 6)), 100, 50)
	for _, value := range []string{"", "0", "7", "18446744073709551615"} {
		t.Setenv("WEFT_SCHEDULE_SEED", value)
		e, err := engine.New("shuffled")
		require.NoError(t, err)
		require.Equal(t, "shuffled", e.Name())
		seed := map[string]uint64{"7": 7, "18446744073709551615": 1<<64 - 1}[value]
		require.Equal(t, g.run(t, engine.NewShuffled(seed), 0), g.run(t, e, 0))
	}
	t.Setenv("WEFT_SCHEDULE_SEED", "seven")
	defer func() {
		e, ok := recover().(*engine.Error)
		require.True(t, ok)
		require.ErrorIs(t, e, fault.ErrParameter)
		require.ErrorContains(t, e, "WEFT_SCHEDULE_SEED")
	}()
	_, _ = engine.New("shuffled")
}

// TestShuffledRunsWhatNobodyWaitsFor has a leaf tell by itself that it has run.
func TestShuffledRunsWhatNobodyWaitsFor(t *testing.T) {
	for seed := range uint64(5) {
		e := engine.NewShuffled(seed)
		ran := make(chan int, 100)
		for i := range 100 {
			e.Push(&engine.Operation{Name: "leaf", Function: engine.FunctionOf(func(*engine.RunContext) error { ran <- i; return nil })})
		}
		for range 100 {
			<-ran
		}
		require.NoError(t, e.Close(context.Background()))
	}
}
