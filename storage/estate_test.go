package storage

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/parallel"
	"github.com/weft-nd/weft/profile"
)

const estateBytes = 1 << 20

// estateEngine returns an engine of the given kind, and the manager that serves its memory until t ends.
func estateEngine(t *testing.T, kind string) (engine.Engine, Manager) {
	before, err := ManagerOf(device.CPU(0))
	require.NoError(t, err)
	m, err := NewNaive(device.CPU(0))
	require.NoError(t, err)
	SetManager(device.CPU(0), m)
	e, err := engine.New(kind, engine.WithPool(parallel.New(2)))
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, e.Close(context.Background()))
		SetManager(device.CPU(0), before)
	})
	return e, m
}

// collectAll calls the collector until everything that m has served is given back.
func collectAll(m Manager) {
	for m.Stats().InUse > 0 {
		<-collector.request()
	}
}

// use pushes an operation on s that calls body and then claims its memory, and keeps nothing of s but its replica.
func use(s *Synced, mode engine.Mode, host bool, body func()) {
	s.engine.Atomically(func(p engine.Pusher) {
		var replica *Replica
		op := &engine.Operation{Name: "use", Host: host}
		replica, op.Accesses = s.Acquire(p, device.CPU(0), mode, 0, s.Bytes(), nil, nil)
		op.Function = engine.FunctionOf(func(*engine.RunContext) error {
			body()
			start, err := replica.Claim()
			if err == nil && mode != engine.Read {
				start.Bytes(estateBytes)[0]++ // which the race detector sees
			}
			return err
		})
		p.Push(op)
	})
}

func TestMemoryThatIsDroppedWhileItsUsersArePendingGoesBackBehindThem(t *testing.T) {
	for _, kind := range []string{"naive", "pooled", "perdevice", "shuffled"} {
		t.Run(kind, func(t *testing.T) {
			e, m := estateEngine(t, kind)
			open := make(chan struct{})
			end := sync.OnceFunc(func() { close(open) })
			defer end()
			func() {
				s := NewSynced(e, estateBytes)
				use(s, engine.Write, true, func() { <-open })
				use(s, engine.Read, true, func() {})
			}()
			pushed := e.Stats().Pushed
			collect()
			windUp(takeDropped())
			require.Equal(t, pushed+1, e.Stats().Pushed)
			require.Zero(t, m.Stats().Allocations)
			end()
			require.NoError(t, e.WaitAll(context.Background()))
			require.EqualValues(t, 1, m.Stats().Allocations)
			require.Zero(t, m.Stats().InUse)
		})
	}
}

func TestMemoryThatIsDroppedWhenItsUsersAreDoneGoesBackAtOnce(t *testing.T) {
	for _, kind := range []string{"naive", "pooled", "perdevice"} {
		t.Run(kind, func(t *testing.T) {
			e, m := estateEngine(t, kind)
			func() {
				s := NewSynced(e, estateBytes)
				use(s, engine.Write, false, func() {})
				NewSynced(e, estateBytes) // nobody uses it
			}()
			require.NoError(t, e.WaitAll(context.Background()))
			require.Positive(t, m.Stats().InUse)
			<-collector.request()
			require.NoError(t, e.WaitAll(context.Background()))
			require.Zero(t, m.Stats().InUse)
		})
	}
}

func TestMemoryThatTheProgramHoldsIsNotFoundToBeDropped(t *testing.T) {
	e, m := estateEngine(t, "perdevice")
	s := NewSynced(e, estateBytes)
	use(s, engine.Write, false, func() {})
	saved := NewSynced(e, estateBytes)
	use(saved, engine.Write, false, func() {})
	var hold *Hold
	e.Atomically(func(engine.Pusher) { hold = saved.Hold(nil) })
	saved = nil
	for range 3 {
		<-collector.request()
		require.NoError(t, e.WaitAll(context.Background()))
		require.EqualValues(t, 2*estateBytes, m.Stats().InUse)
	}
	runtime.KeepAlive(s)
	hold.Drop()
}

func TestAnEstateEndsWithTheReleaseOfItsMemoryAndServesAgain(t *testing.T) {
	e, m := estateEngine(t, "perdevice")
	s := NewSynced(e, estateBytes)
	title := (*titled)(unsafe.Pointer(s)).title
	use(s, engine.Write, false, func() {})
	s.Release(nil)
	require.NoError(t, e.WaitAll(context.Background()))
	require.Nil(t, (*titled)(unsafe.Pointer(s)).title)
	require.Zero(t, m.Stats().InUse)
	require.Equal(t, estate{title: title.estate.title, later: title.estate}, *title.estate)
	s.Release(nil) // does nothing
	require.NotPanics(t, title.estate.lose)
}

// Several goroutines make memory, use it, and release or drop it, while the collector runs all the time.
func TestEstatesOfManyGoroutinesEndWhileTheCollectorRuns(t *testing.T) {
	e, m := estateEngine(t, "perdevice")
	steps := 400
	if testing.Short() {
		steps = 100
	}
	var users, all sync.WaitGroup
	ended := make(chan struct{})
	all.Go(func() {
		for {
			select {
			case <-ended:
				return
			default:
				<-collector.request()
			}
		}
	})
	for g := range 3 {
		users.Go(func() {
			var kept *Synced
			for i := range steps {
				s := NewSynced(e, estateBytes)
				use(s, engine.Write, false, func() {})
				use(s, engine.Update, false, func() {})
				switch (i + g) % 3 {
				case 0:
					s.Release(nil)
				case 1:
					kept = s
				}
			}
			use(kept, engine.Update, false, func() {})
		})
	}
	users.Wait()
	close(ended)
	all.Wait()
	require.NoError(t, e.WaitAll(context.Background()))
	<-collector.request()
	require.NoError(t, e.WaitAll(context.Background()))
	require.Zero(t, m.Stats().InUse)
}

// blocked is an observer that is held up when somebody has waited, with the lock of the engine's queues.
type blocked struct {
	once       sync.Once
	held, open chan struct{}
}

// Observe implements profile.Observer.
func (b *blocked) Observe(r *profile.Record) {
	if r.Name == "wait" {
		b.once.Do(func() {
			close(b.held)
			<-b.open
		})
	}
}

// A deletion of the user's that ends its goroutine is run by whoever pushes next.
func TestTheCollectorAnswersWhenAFunctionOfTheUsersEndsItsGoroutine(t *testing.T) {
	e, m := estateEngine(t, "perdevice")
	func() {
		s := NewSynced(e, estateBytes)
		use(s, engine.Write, false, func() {})
	}()
	require.NoError(t, e.WaitAll(context.Background()))
	b := &blocked{held: make(chan struct{}), open: make(chan struct{})}
	e.Observe(b)
	v, w, gate := e.NewVar(), e.NewVar(), make(chan struct{})
	e.Push(&engine.Operation{
		Name: "host", Host: true, Accesses: []engine.Access{{Var: w, Mode: engine.Write}},
		Function: engine.FunctionOf(func(*engine.RunContext) error { <-gate; return nil }),
	})
	waited := make(chan error, 1)
	go func() { waited <- e.Wait(context.Background(), w) }()
	isAwaited := func(p engine.Pending) bool { return p.Wait }
	for !slices.ContainsFunc(e.Snapshot().Pending, isAwaited) {
		runtime.Gosched()
	}
	close(gate)
	<-b.held
	deleted := make(chan struct{})
	go func() {
		defer close(deleted)
		e.DeleteVar(v, runtime.Goexit)
	}()
	<-collector.request()
	close(b.open)
	<-deleted
	require.NoError(t, <-waited)
	collectAll(m)
}

func TestMemoryWhoseVariableTheUserHasDeletedIsThatOfItsBlock(t *testing.T) {
	e, m := estateEngine(t, "perdevice")
	func() {
		s := NewSynced(e, estateBytes)
		use(s, engine.Write, false, func() {})
		e.DeleteVar(s.Var(), nil)
	}()
	require.NoError(t, e.WaitAll(context.Background()))
	collectAll(m)
}

// framed is an object that holds memory and the Synced that has adopted it.
type framed struct {
	pixels [estateBytes]byte
	seen   *Synced
}

func TestMemoryOfTheUsersThatHoldsItsSyncedIsCollected(t *testing.T) {
	e, _ := estateEngine(t, "perdevice")
	for name, see := range map[string]func(p device.Pointer) *Synced{
		"adopted": func(p device.Pointer) *Synced { return Adopt(e, p, estateBytes) },
		"lent": func(p device.Pointer) *Synced {
			s := NewSynced(e, estateBytes)
			s.SetMemory(device.CPU(0), p, nil, nil)
			return s
		},
		"handed over": func(p device.Pointer) *Synced {
			s := NewSynced(e, estateBytes)
			s.SetMemory(device.CPU(0), p, func() {}, nil)
			return s
		},
	} {
		t.Run(name, func(t *testing.T) {
			collected := make(chan struct{})
			func() {
				f := new(framed)
				runtime.AddCleanup(f, func(struct{}) { close(collected) }, struct{}{})
				f.seen = see(device.Pointer{Host: unsafe.Pointer(&f.pixels)})
				require.NoError(t, e.Wait(context.Background(), f.seen.Var()))
				f.seen.Release(nil) // is harmless
				f.seen = see(device.Pointer{Host: unsafe.Pointer(&f.pixels)})
				use(f.seen, engine.Update, true, func() {})
			}()
			require.NoError(t, e.WaitAll(context.Background()))
			for {
				select {
				case <-collected:
					return
				default:
					<-collector.request()
				}
			}
		})
	}
}

// curator is an observer that holds an array.
type curator struct{ array *Synced }

// Observe implements profile.Observer.
func (*curator) Observe(*profile.Record) {}

func TestAClosedEngineAndTheArraysOfItsObserversAreCollected(t *testing.T) {
	e, m := estateEngine(t, "perdevice")
	func() {
		s := NewSynced(e, estateBytes)
		use(s, engine.Write, false, func() {})
		e.Observe(&curator{s})
	}()
	require.NoError(t, e.Close(context.Background()))
	require.Positive(t, m.Stats().InUse)
	collectAll(m)
}

// The variable of a replica, which Prefetch tells, is the user's as well.
func TestMemoryIsDroppedWhoseReplicasVariableTheUserHasDeleted(t *testing.T) {
	e, m := estateEngine(t, "perdevice")
	func() {
		s := NewSynced(e, estateBytes)
		use(s, engine.Write, false, func() {})
		e.Atomically(func(engine.Pusher) { s.nameVariable(s.first) }) // as it is beside others
		done := s.first.apart.variable
		require.NoError(t, e.WaitAll(context.Background()))
		e.DeleteVar(done, nil)
	}()
	require.NoError(t, e.WaitAll(context.Background()))
	collectAll(m)
}

// An operation that is brief holds its engine up for longer than the collector waits for it.
func TestWhoWantsMemoryWaitsForTheEngineThatHoldsUpWhatWasDropped(t *testing.T) {
	e, _ := estateEngine(t, "perdevice")
	restore, _ := limited(t, 3*estateBytes/2)
	defer restore()
	func() {
		s := NewSynced(e, estateBytes)
		use(s, engine.Write, false, func() {})
	}()
	require.NoError(t, e.WaitAll(context.Background()))
	begun, open := make(chan struct{}), make(chan struct{})
	brief := &engine.Operation{
		Name: "brief", Brief: true, Accesses: []engine.Access{{Var: e.NewVar(), Mode: engine.Write}},
		Function: engine.FunctionOf(func(*engine.RunContext) error {
			close(begun)
			<-open
			return nil
		}),
	}
	go e.Atomically(func(p engine.Pusher) { p.Push(brief) })
	<-begun
	got := make(chan error, 1)
	go func() {
		b, err := NewBlock(device.CPU(0), estateBytes)
		if err == nil {
			b.Release()
		}
		got <- err
	}()
	for heldUp() == nil {
		runtime.Gosched()
	}
	close(open)
	require.NoError(t, <-got)
}
