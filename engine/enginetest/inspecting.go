package enginetest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/profile"
)

var inspections = []property{
	{"ASnapshotTellsWhatHoldsUpWhat", snapshotHolders},
	{"ASnapshotKnowsEveryDependency", snapshotDependencies},
	{"SnapshotsAddUpWhileOthersPush", snapshotsAddUp},
	{"ASnapshotOfNothingIsEmpty", snapshotEmpty},
	{"ASnapshotShowsGatheredOperations", snapshotBulk},
	{"ASnapshotShowsWhatStopHolds", snapshotStopped},
	{"ASnapshotShowsVariablesInError", snapshotInError},
	{"ASnapshotShowsThoseWhoWait", snapshotWaits},
	{"HostFunctionsMayTakeSnapshots", snapshotInside},
}

// running pushes a host function that runs until release is called, at the latest when the test ends, and returns when it runs.
func (s *subject) running(name string, accesses ...engine.Access) (op *engine.Operation, release func()) {
	started, gate := make(chan struct{}), make(chan struct{})
	op = hosted(name, func() { close(started); <-gate }, accesses...)
	s.Push(op)
	<-started
	release = sync.OnceFunc(func() { close(gate) })
	s.t.Cleanup(release)
	return op, release
}

// byName returns the pending operations of a snapshot, which have different names.
func byName(t *testing.T, snapshot engine.Snapshot) map[string]engine.Pending {
	all := map[string]engine.Pending{}
	for _, p := range snapshot.Pending {
		require.NotContains(t, all, p.Name)
		all[p.Name] = p
	}
	return all
}

func (s *subject) dump() string {
	var text bytes.Buffer
	require.NoError(s.t, s.Dump(&text))
	return text.String()
}

func snapshotHolders(t *testing.T, new factory) {
	s := start(t, new)
	a, b, c := s.NewVar(), s.NewVar(), s.NewVar()
	gate, release := s.running("gate", write(a), update(b))
	_, free := s.running("other", part(write(c), 0, 8))
	both := leaf("both", func() {}, read(a), part(update(c), 4, 12))
	last := leaf("behind both", func() {}, read(a), write(c))
	late := leaf("late", func() {}, read(b))
	late.Device = device.CPU(1)
	for _, op := range []*engine.Operation{both, last, late} {
		s.Push(op)
	}
	snapshot := s.Snapshot()
	all := byName(t, snapshot)
	require.Len(t, all, 5)
	require.Equal(t, s.Name(), snapshot.Engine)
	require.Equal(t, engine.Stats{Pushed: 5}, snapshot.Stats)

	require.Equal(t, []uint64{1, 2, 3, 4, 5}, []uint64{all["gate"].Number, all["other"].Number, all["both"].Number, all["behind both"].Number, all["late"].Number})
	numbers := []profile.Access{{Variable: 1, Mode: profile.Write}, {Variable: 2, Mode: profile.Update}}
	require.Equal(t, numbers, all["gate"].Accesses)
	require.Equal(t, []profile.Access{{Variable: 1}, {Variable: 3, Mode: profile.Update, Lo: 4, Hi: 12}}, all["both"].Accesses)
	for name, op := range map[string]*engine.Operation{"gate": gate, "both": both, "late": late} {
		require.Same(t, op.Site, all[name].Site)
		require.Equal(t, op.Device, all[name].Device)
	}
	require.Equal(t, engine.Running, all["gate"].State)
	require.Equal(t, "host", all["gate"].Place)
	require.Empty(t, all["gate"].After)
	require.Equal(t, engine.Waiting, all["both"].State)
	require.Equal(t, []engine.Holder{{Number: 1, Name: "gate", Variable: 1}, {Number: 2, Name: "other", Variable: 3}}, all["both"].After)
	require.Equal(t, []engine.Holder{{Number: 1, Name: "gate", Variable: 1}, {Number: 3, Name: "both", Variable: 3}}, all["behind both"].After)
	require.Equal(t, []engine.Holder{{Number: 1, Name: "gate", Variable: 2}}, all["late"].After)
	require.Equal(t, []string{"gate", "both", "behind both"}, critical(snapshot))

	release()
	free()
	s.requireDone()
	require.Equal(t, snapshot.Pending[0].Number, uint64(1), "a snapshot does not change")
	require.Empty(t, s.Snapshot().Pending)
}

// critical returns the names on the critical path.
func critical(s engine.Snapshot) (names []string) {
	for _, p := range s.CriticalPath() {
		names = append(names, p.Name)
	}
	return names
}

// snapshotDependencies compares what a snapshot says, followed from operation to operation, with all pairs of conflicts.
func snapshotDependencies(t *testing.T, new factory) {
	const variables, length = 4, 60
	random := rand.New(rand.NewPCG(7, 8))
	for range 30 {
		s := start(t, new)
		vars := s.variables(variables)
		var accesses [][]engine.Access
		var releases []func()
		for _, v := range vars {
			accesses = append(accesses, []engine.Access{write(v)})
			_, release := s.running("gate", write(v))
			releases = append(releases, release)
		}
		for range length {
			var own []engine.Access
			for _, v := range random.Perm(variables)[:1+random.IntN(2)] {
				a := engine.Access{Var: vars[v], Mode: engine.Mode(random.IntN(3))}
				if random.IntN(3) > 0 {
					a.Lo = int64(random.IntN(20))
					a.Hi = a.Lo + int64(random.IntN(10))
				}
				own = append(own, a)
			}
			accesses = append(accesses, own)
			op := leaf("leaf", func() {}, slices.Clone(own)...)
			op.Host = random.IntN(4) == 0
			s.Push(op)
		}
		snapshot := s.Snapshot()
		require.Len(t, snapshot.Pending, len(accesses))
		var told, want [variables + length][variables + length]bool
		for later, p := range snapshot.Pending {
			require.Equal(t, later < variables, p.State == engine.Running, "all but the gates wait")
			require.False(t, p.More)
			for _, h := range p.After {
				told[later][h.Number-1] = true
			}
			for earlier := range later {
				want[later][earlier] = conflict(accesses[earlier], accesses[later])
			}
			for earlier := range later {
				for between := range earlier {
					want[later][between] = want[later][between] || want[later][earlier] && want[earlier][between]
					told[later][between] = told[later][between] || told[later][earlier] && told[earlier][between]
				}
			}
		}
		require.Equal(t, want, told)
		for _, release := range releases {
			release()
		}
		s.requireDone()
	}
}

// conflict reports whether two operations with these accesses must run one after the other.
func conflict(a, b []engine.Access) bool {
	for _, x := range a {
		for _, y := range b {
			if x.Var == y.Var && (x.Mode != engine.Read || y.Mode != engine.Read) && (x.Hi == 0 || y.Hi == 0 || x.Lo < y.Hi && y.Lo < x.Hi) {
				return true
			}
		}
	}
	return false
}

// snapshotsAddUp looks all the time at a workload, which must come out as if nobody did.
func snapshotsAddUp(t *testing.T, new factory) {
	const each = 400
	s := start(t, new, engine.WithLimit(64))
	vars := s.variables(10)
	totals := make([]int, len(vars))
	var all, looking sync.WaitGroup
	var ended atomic.Bool
	looking.Go(func() {
		for !ended.Load() {
			checkSnapshot(t, s.Snapshot())
		}
	})
	for pusher := range pushers {
		all.Go(func() {
			random := rand.New(rand.NewPCG(9, uint64(pusher)))
			bulk := s.NewBulk(5)
			for i := range each {
				at, from := random.IntN(len(vars)), random.IntN(len(vars))
				op := leaf("count", func() { totals[at]++ }, read(vars[from]), update(vars[at]))
				op.Host = i%50 == 0
				if i%3 == 0 {
					bulk.Push(op)
				} else {
					s.Push(op)
				}
			}
			bulk.Flush()
		})
	}
	all.Wait()
	s.requireDone()
	ended.Store(true)
	looking.Wait()
	total := 0
	for _, n := range totals {
		total += n
	}
	require.Equal(t, pushers*each, total)
}

func checkSnapshot(t *testing.T, s engine.Snapshot) {
	operations := uint64(0)
	known, variables := map[uint64]string{}, map[uint64]bool{}
	for _, v := range s.Variables {
		variables[v.Number] = true
	}
	last := uint64(0)
	for _, p := range s.Pending {
		if p.Number <= last {
			t.Errorf("#%d follows #%d", p.Number, last)
		}
		last = p.Number
		known[p.Number] = p.Name
		operations += uint64(p.Operations)
	}
	if operations != s.Stats.Pushed-s.Stats.Done {
		t.Errorf("%d operations of %+v", operations, s.Stats)
	}
	for _, p := range s.Pending {
		if waits := len(p.After) > 0; waits != (p.State == engine.Waiting) {
			t.Errorf("#%d is %v, after %v", p.Number, p.State, p.After)
		}
		for _, h := range p.After {
			if name, pending := known[h.Number]; !pending || name != h.Name || !variables[h.Variable] {
				t.Errorf("#%d comes after %+v", p.Number, h)
			}
		}
		for _, a := range p.Accesses {
			if !variables[a.Variable] {
				t.Errorf("#%d touches v%d", p.Number, a.Variable)
			}
		}
	}
	if len(s.Pending) > 0 && len(s.CriticalPath()) == 0 {
		t.Error("no critical path")
	}
}

func snapshotEmpty(t *testing.T, new factory) {
	s := start(t, new)
	v := s.NewVar()
	for range 3 {
		s.Push(leaf("leaf", func() {}, update(v)))
	}
	s.requireDone()
	require.Equal(t, engine.Snapshot{Engine: s.Name(), Stats: engine.Stats{Pushed: 3, Done: 3}}, s.Snapshot())
	require.Empty(t, s.Snapshot().CriticalPath())
	require.Equal(t, fmt.Sprintf("engine %s: 0 operations pending\n3 done so far, of which 0 failed and 0 were skipped\n", s.Name()), s.dump())
}

func snapshotBulk(t *testing.T, new factory) {
	s := start(t, new)
	v, w := s.NewVar(), s.NewVar()
	_, release := s.running("gate", write(v))
	b := s.NewBulk(10)
	ran := 0
	for range 3 {
		b.Push(leaf("count", func() { ran++ }, update(v)))
	}
	b.Push(leaf("last", func() { ran++ }, part(read(v), 0, 4), write(w)))
	accesses := []profile.Access{{Variable: 1, Mode: profile.Update}, {Variable: 2, Mode: profile.Write}}
	for _, state := range []engine.State{engine.Gathered, engine.Waiting} {
		p := byName(t, s.Snapshot())["bulk of 4"]
		require.Equal(t, state, p.State)
		require.Equal(t, 4, p.Operations)
		require.Equal(t, accesses, p.Accesses)
		require.Equal(t, state == engine.Waiting, len(p.After) > 0)
		require.Equal(t, []string{"count", "last"}, []string{p.Members[0].Name, p.Members[3].Name})
		require.Contains(t, s.dump(), "bulk of 4: count, count, count, last")
		b.Flush()
	}
	require.Zero(t, ran)
	release()
	s.requireDone()
	require.Equal(t, 4, ran)
}

func snapshotStopped(t *testing.T, new factory) {
	s := start(t, new)
	v := s.NewVar()
	require.NoError(t, s.Stop(t.Context()))
	for range 2 {
		s.Push(leaf("leaf", func() {}, update(v)))
	}
	snapshot := s.Snapshot()
	require.True(t, snapshot.Stopped)
	require.Equal(t, []engine.State{engine.Held, engine.Waiting}, []engine.State{snapshot.Pending[0].State, snapshot.Pending[1].State})
	require.Contains(t, s.dump(), "stopped: what is ready waits for Start\n")
	s.Start()
	s.requireDone()
	require.False(t, s.Snapshot().Stopped)
	require.NoError(t, s.Close(t.Context()))
	require.True(t, s.Snapshot().Closed)
}

func snapshotInError(t *testing.T, new factory) {
	s := start(t, new)
	bad, held, result := s.NewVar(), s.NewVar(), s.NewVar()
	s.Push(failing("pour", errBroken, write(bad)))
	require.ErrorIs(t, s.wait(bad), errBroken)
	_, release := s.running("gate", write(held))
	s.Push(leaf("mix", func() {}, read(bad), read(held), write(result)))
	snapshot := s.Snapshot()
	require.Len(t, snapshot.Variables, 3)
	for _, v := range snapshot.Variables {
		if v.Err != nil {
			require.ErrorIs(t, v.Err, errBroken)
			require.Contains(t, s.dump(), fmt.Sprintf("reads v%d (in error)", v.Number))
			require.Contains(t, s.dump(), "; in error: weft: pour: ")
		}
	}
	require.True(t, slices.ContainsFunc(snapshot.Variables, func(v engine.Variable) bool { return v.Err != nil }))
	release()
	require.ErrorIs(t, s.wait(result), errBroken)
}

// snapshotWaits looks until the goroutines that wait have got there.
func snapshotWaits(t *testing.T, new factory) {
	s := start(t, new)
	v := s.NewVar()
	_, release := s.running("gate", write(v))
	var waiting sync.WaitGroup
	for range 2 {
		waiting.Go(func() {
			if err := s.wait(v); err != nil {
				t.Error(err)
			}
		})
	}
	waiting.Go(func() {
		if err := s.waitAll(); err != nil {
			t.Error(err)
		}
	})
	snapshot := s.Snapshot()
	for ; snapshot.Blocked < 1 || len(snapshot.Pending) < 3; snapshot = s.Snapshot() {
		runtime.Gosched()
	}
	require.Equal(t, 1, snapshot.Blocked)
	require.Len(t, snapshot.Pending, 3)
	for _, p := range snapshot.Pending[1:] {
		require.True(t, p.Wait)
		require.Zero(t, p.Operations)
		require.Equal(t, []engine.Holder{{Number: 1, Name: "gate", Variable: 1}}, p.After)
	}
	require.Contains(t, s.dump(), "2 goroutines in Wait\n1 goroutine in WaitAll, Stop or Close\n")
	release()
	waiting.Wait()
	require.Empty(t, s.Snapshot().Pending)
}

func snapshotInside(t *testing.T, new factory) {
	s := start(t, new)
	v := s.NewVar()
	var inside engine.Snapshot
	s.Push(hosted("host", func() {
		s.Push(leaf("leaf", func() {}, update(v)))
		inside = s.Snapshot()
	}, write(v)))
	s.requireDone()
	require.Equal(t, []string{"host", "leaf"}, critical(inside))
	require.Equal(t, engine.Running, inside.Pending[0].State)
}
