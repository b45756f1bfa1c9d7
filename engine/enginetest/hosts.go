package enginetest

import (
	"fmt"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/parallel"
)

var hosts = []property{
	{"HostFunctionsMayWait", hostsWait},
	{"HostFunctionsMayPush", hostsPush},
	{"ErrorsInsideAHostFunctionReachItsWaiter", hostErrors},
	{"APusherMayHoldWhatAHostFunctionLocks", pusherHoldsMutex},
	{"HostFunctionsShareWorkWithTheWorkers", hostsUseThreads},
}

// hostsWait keeps more host functions waiting than there are workers, one inside the other; only the innermost makes
// what they wait for.
func hostsWait(t *testing.T, new factory) {
	for _, depth := range []int{1, 3 * runtime.GOMAXPROCS(0)} {
		s := start(t, new)
		vars := s.variables(depth + 1)
		values := make([]int, depth+1)
		var push func(level int)
		push = func(level int) {
			s.Push(hosted(fmt.Sprint("level", level), func() {
				if level == 0 {
					values[0] = 1
					return
				}
				push(level - 1)
				if err := s.wait(vars[level-1]); err != nil {
					t.Errorf("level %d: %v", level, err)
				}
				copied := s.NewVar()
				s.Push(leaf("copy", func() { values[level] = values[level-1] + 1 }, read(vars[level-1]), write(copied)))
				if err := s.wait(copied); err != nil {
					t.Errorf("level %d: %v", level, err)
				}
			}, write(vars[level])))
		}
		push(depth)
		s.requireDone()
		require.Equal(t, depth+1, values[depth])
	}
}

func hostsPush(t *testing.T, new factory) {
	s := start(t, new)
	v := s.NewVar()
	total := 0
	for range 20 {
		s.Push(hosted("pusher", func() {
			for range 50 {
				op := leaf("add", func() { total++ }, update(v))
				s.Push(op)
			}
		}))
	}
	s.requireDone()
	require.Equal(t, 1000, total)
	require.Equal(t, uint64(1000), v.Version())
}

// hostErrors are the four ways of MXNet's test_custom_op_exc.
func hostErrors(t *testing.T, new factory) {
	for name, inside := range map[string]func(s *subject, inner *engine.Var) error{
		"it fails itself":             func(*subject, *engine.Var) error { return errBroken },
		"it pushes what is not legal": func(s *subject, _ *engine.Var) error { s.Push(nil); return nil },
		"it waits for a failure": func(s *subject, inner *engine.Var) error {
			s.Push(failing("inner", errBroken, write(inner)))
			return s.wait(inner)
		},
		"it leaves a failure behind": func(s *subject, inner *engine.Var) error {
			s.Push(failing("inner", errBroken, write(inner)))
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := start(t, new)
			inner, outer := s.NewVar(), s.NewVar()
			op := hosted("outer", nil, write(outer))
			op.Function = function(func() error { return inside(s, inner) })
			s.Push(op)
			left := name == "it leaves a failure behind"
			require.Equal(t, left, s.wait(outer) == nil)
			require.Error(t, s.waitAll())
			if left {
				require.ErrorIs(t, s.wait(inner), errBroken)
			} else {
				require.Equal(t, "outer", errorOf(t, s.wait(outer)).Operator)
			}
		})
	}
}

// pusherHoldsMutex is the callback of a framework that pushes with its own lock held. Were the pusher made to wait for a
// host function when it is over the limit, both would wait for ever.
func pusherHoldsMutex(t *testing.T, new factory) {
	s := start(t, new, engine.WithLimit(4))
	vars := s.variables(7)
	var mu sync.Mutex
	hosts, leaves := 0, [7]int{}
	mu.Lock()
	for i := range 600 {
		at := i % len(vars)
		if i%3 == 0 {
			s.Push(hosted("locker", func() { mu.Lock(); hosts++; mu.Unlock() }, update(vars[at])))
		} else {
			s.Push(leaf("leaf", func() { leaves[at]++ }, update(vars[at])))
		}
	}
	require.Zero(t, hosts)
	mu.Unlock()
	s.requireDone()
	total := 0
	for _, n := range leaves {
		total += n
	}
	require.Equal(t, []int{200, 400}, []int{hosts, total})
}

func hostsUseThreads(t *testing.T, new factory) {
	s := start(t, new)
	for _, host := range kinds {
		for range 20 {
			covered := make([]int, 1000)
			op := leaf("parallel", nil)
			op.Host = host
			op.Function = engine.FunctionOf(func(rc *engine.RunContext) error {
				if rc.Context == nil || rc.Stream != nil || rc.Thread.Level() != 0 {
					t.Errorf("bad run context %+v", rc)
				}
				if rc.Thread.NumThreads() != rc.Thread.Pool().NumWorkers() || rc.Thread.ChunkSize() != 0 {
					t.Error("settings of one operation reached another")
				}
				rc.Thread.For(len(covered), func(_ *parallel.Thread, lo, hi int) {
					for i := lo; i < hi; i++ {
						covered[i]++
					}
				})
				if err := rc.Thread.SetNumThreads(1); err != nil {
					return err
				}
				_, err := rc.Thread.SetChunkSize(7)
				return err
			})
			s.Push(op)
			s.requireDone()
			for _, n := range covered {
				require.Equal(t, 1, n)
			}
		}
	}
}
