package kvstore_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/autograd"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/kernels/sim"
	"github.com/weft-nd/weft/kvstore"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/ops"
	"github.com/weft-nd/weft/profile"
)

// kinds are the stores that every property is checked of.
var kinds = []struct {
	name    string
	make    func(env *nd.Env, devices []device.Device, options ...kvstore.Option) *kvstore.Store
	devices []device.Device
}{
	{"local/cpu", kvstore.NewLocal, []device.Device{device.CPU(0), device.CPU(1)}},
	{"local/sim", kvstore.NewLocal, []device.Device{device.Sim(0), device.Sim(1)}},
	{"device/cpu", kvstore.NewDevice, []device.Device{device.CPU(0), device.CPU(1)}},
	{"device/sim", kvstore.NewDevice, []device.Device{device.Sim(0), device.Sim(1)}},
	{"device/mixed", kvstore.NewDevice, []device.Device{device.CPU(0), device.Sim(1)}},
	{"device/four", kvstore.NewDevice, []device.Device{device.CPU(0), device.CPU(1), device.CPU(2), device.CPU(3)}},
	{"local/one", kvstore.NewLocal, []device.Device{device.Sim(0)}},
}

// forEach runs a check on every kind of store and with several engines.
func forEach(t *testing.T, check func(t *testing.T, env *nd.Env, make func(options ...kvstore.Option) *kvstore.Store)) {
	for _, kind := range kinds {
		for _, name := range []string{"naive", "perdevice", "shuffled"} {
			t.Run(kind.name+"/"+name, func(t *testing.T) {
				env := newEnv(t, name)
				check(t, env, func(options ...kvstore.Option) *kvstore.Store { return kind.make(env, kind.devices, options...) })
			})
		}
	}
}

func newEnv(t *testing.T, name string) *nd.Env {
	e, err := engine.New(name)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, e.Close(context.Background())) })
	return ops.NewEnv(e).WithSeed(1)
}

// on returns an array full of v(i) on each device of s.
func on(env *nd.Env, s *kvstore.Store, v func(i int) float64, shape ...int) []*nd.Array {
	var arrays []*nd.Array
	for i, d := range s.Devices() {
		arrays = append(arrays, nd.FullIn(env.WithDevice(d), dtype.Float32, v(i), shape...))
	}
	return arrays
}

func always(v float64) func(int) float64 { return func(int) float64 { return v } }

func requireAll(t *testing.T, want float32, arrays ...*nd.Array) {
	t.Helper()
	for _, a := range arrays {
		got, err := nd.Values[float32](a)
		require.NoError(t, err)
		for _, v := range got {
			require.Equal(t, want, v)
		}
	}
}

func mistake(t *testing.T, f func()) *nd.Error {
	t.Helper()
	var e *nd.Error
	require.ErrorAs(t, nd.Try(f), &e)
	require.Contains(t, e.Site.String(), "_test.go")
	return e
}

// This is MXNet's test_kvstore.py: shape (4, 4), keys one by one and as a list.
func TestMXNetPushAddsUpTheArraysOfAllDevices(t *testing.T) {
	forEach(t, func(t *testing.T, env *nd.Env, make func(...kvstore.Option) *kvstore.Store) {
		s := make()
		n := float32(len(s.Devices()))
		keys := []string{"3", "5", "7", "11"}
		for _, key := range keys {
			s.Init(key, nd.ZerosIn(env, dtype.Float32, 4, 4))
		}
		pulled := on(env, s, always(9), 4, 4)
		s.Pull("3", pulled, 0)
		requireAll(t, 0, pulled...)
		s.Push("3", on(env, s, always(1), 4, 4), 0)
		s.Pull("3", pulled, 0)
		requireAll(t, n, pulled...)
		for i, key := range keys {
			s.Push(key, on(env, s, always(2), 4, 4), -i)
		}
		for i, key := range keys {
			s.Pull(key, pulled, -i)
			requireAll(t, 2*n, pulled...)
			requireAll(t, 2*n, s.Value(key))
		}
		require.NoError(t, s.Close(context.Background()))
	})
}

func TestMXNetUpdaterAddsEveryPush(t *testing.T) {
	forEach(t, func(t *testing.T, env *nd.Env, make func(...kvstore.Option) *kvstore.Store) {
		s := make(kvstore.WithUpdater(func(_ string, pushed, stored *nd.Array) *nd.Array { return stored.Add(pushed) }))
		s.Init("w", nd.ZerosIn(env, dtype.Float32, 4, 4))
		pulled := on(env, s, always(9), 4, 4)
		for push := range 4 {
			s.PushPull("w", on(env, s, always(1), 4, 4), pulled, push)
			requireAll(t, float32((push+1)*len(s.Devices())), pulled...)
		}
	})
}

// MXNet's test_trainer: gradients of 1 on two devices, rate 1 and momentum 0.5, then half of the rate for this parameter.
func TestMXNetTrainerWithMomentum(t *testing.T) {
	for _, kind := range kinds[:5] {
		t.Run(kind.name, func(t *testing.T) {
			env := newEnv(t, "perdevice")
			factor := 1.0
			velocities := map[string]*nd.Array{}
			s := kind.make(env, kind.devices, kvstore.WithUpdater(func(key string, pushed, stored *nd.Array) *nd.Array {
				if velocities[key] == nil {
					velocities[key] = nd.ZerosLike(stored)
				}
				velocities[key] = velocities[key].MulScalar(0.5).Sub(pushed.MulScalar(factor))
				return stored.Add(velocities[key])
			}))
			s.Init("x", nd.ZerosIn(env, dtype.Float32, 10))
			x := on(env, s, always(0), 10)
			for _, want := range []float32{-2, -4} {
				s.PushPull("x", on(env, s, always(1), 10), x, 0)
				requireAll(t, want, x...)
				factor = 0.5
			}
		})
	}
}

func TestASumIsThatOfTheDevicesInTheirOrder(t *testing.T) {
	devices := []device.Device{device.CPU(0), device.Sim(0), device.CPU(1), device.Sim(1), device.CPU(2)}
	parts := []float32{1, 1e8, -1e8, 3e-8, 1}
	want := parts[0]
	for _, part := range parts[1:] {
		want += part
	}
	require.NotEqual(t, want, parts[0]+(parts[1]+parts[2])+parts[3]+parts[4], "the order shows")
	for _, make := range []func(*nd.Env, []device.Device, ...kvstore.Option) *kvstore.Store{kvstore.NewLocal, kvstore.NewDevice} {
		for range 20 {
			env := newEnv(t, "shuffled")
			s := make(env, devices)
			s.Init("w", nd.ZerosIn(env, dtype.Float32, 300))
			values := on(env, s, func(i int) float64 { return float64(parts[i]) }, 300)
			s.Push("w", values, 1)
			requireAll(t, want, s.Value("w"))
		}
	}
}

func TestAnErrorSticksToItsKeyUntilTheNextPush(t *testing.T) {
	add := kvstore.WithUpdater(func(_ string, pushed, stored *nd.Array) *nd.Array { return stored.Add(pushed) })
	for name, options := range map[string][]kvstore.Option{"assigned": nil, "updated": {add}} {
		t.Run(name, func(t *testing.T) {
			forEach(t, func(t *testing.T, env *nd.Env, make func(...kvstore.Option) *kvstore.Store) {
				s := make(options...)
				n := float32(len(s.Devices()))
				before := float32(0)
				if options != nil {
					before = n
				}
				for _, key := range []string{"good", "bad"} {
					s.Init(key, nd.ZerosIn(env, dtype.Float32, 300))
					s.Push(key, on(env, s, always(1), 300), 0)
				}
				cause := errors.New("a bad gradient")
				values := on(env, s, always(2), 300)
				last := len(values) - 1
				spoil(t, values[last], cause)
				good, bad := on(env, s, always(0), 300), on(env, s, always(0), 300)
				s.PushPull("bad", values, bad, 0)
				s.Pull("good", good, 0)
				requireAll(t, n, good...)
				for _, a := range bad {
					require.ErrorIs(t, a.Wait(context.Background()), cause)
				}
				require.ErrorIs(t, s.Value("bad").Wait(context.Background()), cause)
				s.PushPull("bad", on(env, s, always(3), 300), bad, 0)
				requireAll(t, before+3*n, bad...)
				require.NoError(t, s.Close(context.Background()))
			})
		})
	}
}

// spoil makes a an array in error.
func spoil(t *testing.T, a *nd.Array, cause error) {
	host := nd.ZerosIn(a.Env().WithDevice(device.CPU(0)), a.DType(), a.Shape()...)
	require.ErrorIs(t, nd.Write(context.Background(), host, func([]float32) error { return cause }), cause)
	nd.CopyInto(a, host.In(a.Env()))
}

func TestCloseTellsWhichKeysAreInError(t *testing.T) {
	env := newEnv(t, "perdevice")
	s := kvstore.NewLocal(env, []device.Device{device.CPU(0)})
	cause := errors.New("a bad gradient")
	for _, key := range []string{"a", "b"} {
		s.Init(key, nd.ZerosIn(env, dtype.Float32, 3))
	}
	value := on(env, s, always(1), 3)
	spoil(t, value[0], cause)
	s.Push("b", value, 0)
	for range 2 {
		err := s.Close(context.Background())
		require.ErrorIs(t, err, cause)
		require.ErrorContains(t, err, `key "b"`)
		require.NotContains(t, err.Error(), `key "a"`)
	}
	require.ErrorIs(t, mistake(t, func() { s.Push("a", value, 0) }), fault.ErrClosed)
	require.ErrorIs(t, mistake(t, func() { s.Init("c", value[0]) }), fault.ErrClosed)
}

func TestCloseReturnsWhenItsContextEnds(t *testing.T) {
	env := newEnv(t, "perdevice")
	s := kvstore.NewDevice(env, []device.Device{device.Sim(0)})
	s.Init("w", nd.ZerosIn(env, dtype.Float32, 300))
	release := sim.Default().Hold(0)
	s.Push("w", on(env, s, always(1), 300), 0)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	require.ErrorIs(t, s.Close(ctx), context.Canceled)
	release()
	require.NoError(t, s.Close(context.Background()))
}

func TestSetReplacesAValueAndCuresIt(t *testing.T) {
	forEach(t, func(t *testing.T, env *nd.Env, make func(...kvstore.Option) *kvstore.Store) {
		s := make(kvstore.WithUpdater(func(_ string, pushed, stored *nd.Array) *nd.Array { return stored.Mul(pushed) }))
		broken := nd.ZerosIn(env, dtype.Float32, 3)
		spoil(t, broken, errors.New("broken"))
		s.Init("w", broken)
		require.ErrorContains(t, s.Value("w").Wait(context.Background()), "broken")
		s.Set("w", nd.FullIn(env, dtype.Float32, 5, 3))
		x := on(env, s, always(1), 3)
		s.PushPull("w", x, x, 0)
		requireAll(t, 5*float32(len(x)), x...)
	})
}

func TestMistakesOfACallNameTheKeyAndChangeNothing(t *testing.T) {
	env := newEnv(t, "perdevice")
	devices := []device.Device{device.CPU(0), device.Sim(0)}
	updated := nd.ZerosIn(env, dtype.Float32, 2)
	s := kvstore.NewLocal(env, devices)
	u := kvstore.NewLocal(env, devices, kvstore.WithUpdater(func(string, *nd.Array, *nd.Array) *nd.Array { return updated }))
	r := kvstore.NewLocal(env, devices, kvstore.WithUpdater(func(_ string, pushed, _ *nd.Array) *nd.Array {
		next := pushed.AddScalar(1)
		next.Release()
		return next
	}))
	released := nd.ZerosIn(env, dtype.Float32, 3)
	released.Release()
	for _, store := range []*kvstore.Store{s, u, r} {
		store.Init("w", nd.FullIn(env, dtype.Float32, 7, 3))
	}
	good := on(env, s, always(1), 3)
	other := newEnv(t, "naive")
	for name, c := range map[string]struct {
		call   func()
		cause  error
		detail string
	}{
		"unknown key":        {func() { s.Push("v", good, 0) }, fault.ErrMisuse, `no key "v"`},
		"unknown in Pull":    {func() { s.Pull("v", good, 0) }, fault.ErrMisuse, `no key "v"`},
		"unknown in Value":   {func() { s.Value("v") }, fault.ErrMisuse, `no key "v"`},
		"initialised twice":  {func() { s.Init("w", good[0]) }, fault.ErrMisuse, `key "w" already`},
		"nil value":          {func() { s.Init("v", nil) }, fault.ErrMisuse, "nil"},
		"zero value":         {func() { s.Init("v", new(nd.Array)) }, fault.ErrMisuse, "nil"},
		"too few arrays":     {func() { s.Push("w", good[:1], 0) }, fault.ErrDevice, `1 arrays of key "w" given for 2 devices`},
		"too many arrays":    {func() { s.Pull("w", append(good[:2:2], good...), 0) }, fault.ErrDevice, "4 arrays"},
		"nil array":          {func() { s.Push("w", []*nd.Array{good[0], nil}, 0) }, fault.ErrMisuse, "array 1"},
		"wrong device":       {func() { s.Push("w", []*nd.Array{good[1], good[0]}, 0) }, fault.ErrDevice, "is on sim(0), want cpu(0)"},
		"shape":              {func() { s.Push("w", on(env, s, always(1), 4), 0) }, fault.ErrShape, "has shape (4,), want (3,)"},
		"dtype":              {func() { s.Push("w", []*nd.Array{good[0].Cast(dtype.Float64), good[1]}, 0) }, fault.ErrDType, "float64, want float32"},
		"shape of a pull":    {func() { s.PushPull("w", good, on(env, s, always(1), 4), 0) }, fault.ErrShape, "has shape (4,)"},
		"shape of Set":       {func() { s.Set("w", updated) }, fault.ErrShape, "has shape (2,)"},
		"shape of an update": {func() { u.Push("w", good, 0) }, fault.ErrShape, "the result of the updater"},
		"another engine":     {func() { s.Set("w", nd.ZerosIn(other, dtype.Float32, 3)) }, fault.ErrDevice, "another engine"},
		"no devices":         {func() { kvstore.NewLocal(env, nil) }, fault.ErrParameter, "no devices"},
		"released value":     {func() { s.Init("v", released) }, fault.ErrReleased, `the value of key "v" cannot be used`},
		"set to a released":  {func() { s.Set("w", released) }, fault.ErrReleased, `the value of key "w"`},
		"released update":    {func() { r.Push("w", good, 0) }, fault.ErrReleased, "the result of the updater"},
		"no option":          {func() { kvstore.NewLocal(env, devices, nil) }, fault.ErrMisuse, "option 0 is nil"},
		"zero store":         {func() { new(kvstore.Store).Init("w", good[0]) }, fault.ErrMisuse, "not made by"},
		"push to a zero":     {func() { new(kvstore.Store).Push("w", good, 0) }, fault.ErrMisuse, "not made by"},
		"nil store":          {func() { (*kvstore.Store)(nil).Close(context.Background()) }, fault.ErrMisuse, "nil"},
		"no Env":             {func() { kvstore.NewDevice(nil, devices) }, fault.ErrMisuse, "Env is nil"},
	} {
		t.Run(name, func(t *testing.T) {
			e := mistake(t, c.call)
			require.ErrorIs(t, e, c.cause)
			require.ErrorContains(t, e, c.detail)
		})
	}
	requireAll(t, 7, s.Value("w"), u.Value("w"), r.Value("w"))
}

func TestACallWithOneArrayThatCannotBeUsedChangesNothing(t *testing.T) {
	for name, c := range map[string]struct {
		spoil    func(tape *autograd.Tape, a *nd.Array) *nd.Array
		readable bool // such an array can be pushed
		cause    error
		detail   string
	}{
		"released":  {func(_ *autograd.Tape, a *nd.Array) *nd.Array { a.Release(); return a }, false, fault.ErrReleased, "released at"},
		"watched":   {func(tape *autograd.Tape, a *nd.Array) *nd.Array { return tape.Watch(a) }, true, fault.ErrMisuse, "watched by a tape"},
		"saved":     {func(tape *autograd.Tape, a *nd.Array) *nd.Array { tape.Watch(a).Square(); return a }, true, fault.ErrSaved, "a live tape has saved"},
		"broadcast": {func(_ *autograd.Tape, a *nd.Array) *nd.Array { return a.Index(nd.Span(0, 1)).BroadcastTo(3) }, true, fault.ErrMisuse, "broadcast view"},
	} {
		t.Run(name, func(t *testing.T) {
			forEach(t, func(t *testing.T, env *nd.Env, make func(...kvstore.Option) *kvstore.Store) {
				s := make()
				s.Init("w", nd.FullIn(env, dtype.Float32, 7, 3))
				tape := autograd.NewTape()
				defer tape.Close()
				good, spoiled := on(env, s, always(1), 3), on(env, s, always(1), 3)
				last := len(spoiled) - 1
				spoiled[last] = c.spoil(tape, spoiled[last])
				calls := map[string]func(){
					"Pull":     func() { s.Pull("w", spoiled, 0) },
					"PushPull": func() { s.PushPull("w", good, spoiled, 0) },
				}
				if !c.readable {
					calls["Push"] = func() { s.Push("w", spoiled, 0) }
				}
				for operator, call := range calls {
					e := mistake(t, call)
					require.Equal(t, "kvstore."+operator, e.Operator)
					require.ErrorIs(t, e, c.cause)
					require.ErrorContains(t, e, fmt.Sprintf(`array %d of key "w"`, last))
					require.ErrorContains(t, e, c.detail)
					require.Equal(t, [][]int{{3}}, e.Shapes)
					requireAll(t, 7, s.Value("w"))
					requireAll(t, 1, spoiled[:last]...)
				}
			})
		})
	}
}

func TestAnUpdaterMayReturnViewsOfWhatItIsGiven(t *testing.T) {
	for name, c := range map[string]struct {
		update kvstore.Updater
		want   []float32
	}{
		"stored":        {func(_ string, _, stored *nd.Array) *nd.Array { return stored }, []float32{1, 2, 3}},
		"all of stored": {func(_ string, _, stored *nd.Array) *nd.Array { return stored.Index(nd.Whole) }, []float32{1, 2, 3}},
		"stored turned": {func(_ string, _, stored *nd.Array) *nd.Array { return stored.Flip(0) }, []float32{3, 2, 1}},
		"one repeated":  {func(_ string, _, stored *nd.Array) *nd.Array { return stored.Index(nd.Span(1, 2)).BroadcastTo(3) }, []float32{2, 2, 2}},
		"pushed turned": {func(_ string, pushed, _ *nd.Array) *nd.Array { return pushed.Flip(0) }, []float32{6, 5, 4}},
	} {
		t.Run(name, func(t *testing.T) {
			env := newEnv(t, "perdevice")
			s := kvstore.NewLocal(env, []device.Device{device.CPU(0)}, kvstore.WithUpdater(c.update))
			s.Init("w", nd.FromSliceIn(env, []float32{1, 2, 3}, 3))
			pushed := []*nd.Array{nd.FromSliceIn(env, []float32{4, 5, 6}, 3)}
			s.Push("w", pushed, 0)
			nd.CopyInto(pushed[0], nd.ZerosLike(pushed[0]))
			got, err := nd.Values[float32](s.Value("w"))
			require.NoError(t, err)
			require.Equal(t, c.want, got)
		})
	}
}

func TestGoroutinesPushAndPullAtTheSameTime(t *testing.T) {
	for _, kind := range kinds[:5] {
		t.Run(kind.name, func(t *testing.T) {
			env := newEnv(t, "perdevice")
			s := kind.make(env, kind.devices, kvstore.WithUpdater(func(_ string, pushed, stored *nd.Array) *nd.Array { return stored.Add(pushed) }))
			const keys, goroutines, pushes = 3, 6, 30
			for k := range keys {
				s.Init(fmt.Sprint(k), nd.ZerosIn(env, dtype.Float32, 300))
			}
			var group sync.WaitGroup
			for g := range goroutines {
				group.Go(func() {
					pulled := on(env, s, always(0), 300)
					for i := range pushes {
						key := fmt.Sprint((g + i) % keys)
						s.Push(key, on(env, s, always(1), 300), i-g)
						s.Pull(key, pulled, g-i)
					}
					first, err := nd.Values[float32](pulled[0])
					require.NoError(t, err)
					for _, v := range first {
						require.Equal(t, first[0], v, "a pull sees whole pushes")
					}
				})
			}
			group.Wait()
			for k := range keys {
				requireAll(t, goroutines*pushes/keys*2, s.Value(fmt.Sprint(k)))
			}
			require.NoError(t, s.Close(context.Background()))
		})
	}
}

func TestACallReturnsWhileTheDevicesAreBusy(t *testing.T) {
	env := newEnv(t, "perdevice")
	s := kvstore.NewDevice(env, []device.Device{device.Sim(0), device.Sim(1)}, kvstore.WithUpdater(
		func(_ string, pushed, stored *nd.Array) *nd.Array { return stored.Add(pushed) }))
	s.Init("w", nd.ZerosIn(env, dtype.Float32, 300))
	x := on(env, s, always(1), 300)
	release := sim.Default().Hold(0)
	s.PushPull("w", x, x, 0)
	require.False(t, x[0].Ready())
	release()
	requireAll(t, 2, x...)
}

func TestPushedArraysMayBeWrittenAfterwards(t *testing.T) {
	forEach(t, func(t *testing.T, env *nd.Env, make func(...kvstore.Option) *kvstore.Store) {
		for _, options := range [][]kvstore.Option{nil, {kvstore.WithUpdater(func(_ string, pushed, _ *nd.Array) *nd.Array { return pushed })}} {
			s := make(options...)
			s.Init("w", nd.ZerosIn(env, dtype.Float32, 300))
			x := on(env, s, always(1), 300)
			s.Push("w", x, 0)
			for _, a := range x {
				nd.CopyInto(a, nd.FullLike(a, 9))
			}
			requireAll(t, float32(len(x)), s.Value("w"))
		}
	})
}

func TestLocalStoresKeepValuesOnTheCPUAndOthersWhereTheFewestBytesAre(t *testing.T) {
	env, devices := newEnv(t, "perdevice"), []device.Device{device.Sim(0), device.Sim(1)}
	local, spread := kvstore.NewLocal(env, devices), kvstore.NewDevice(env, devices)
	for i, c := range []struct {
		elements int
		want     device.Device
	}{{8, device.Sim(0)}, {2, device.Sim(1)}, {3, device.Sim(1)}, {5, device.Sim(1)}, {1, device.Sim(0)}} {
		key := fmt.Sprint(i)
		for _, s := range []*kvstore.Store{local, spread} {
			s.Init(key, nd.ZerosIn(env, dtype.Float32, c.elements))
			x := on(env, s, always(1), c.elements)
			s.PushPull(key, x, x, 0)
			requireAll(t, 2, x...)
		}
		require.Equal(t, device.CPU(0), local.Value(key).Device())
		require.Equal(t, c.want, spread.Value(key).Device())
	}
}

// ends tells which operations of a name have ended, by the bytes that they read and write.
type ends struct {
	name  string
	mu    sync.Mutex
	bytes []int64
}

func (e *ends) Observe(r *profile.Record) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if r.Name == e.name {
		e.bytes = append(e.bytes, r.Bytes)
	}
}

// TestWhatIsReadyRunsByItsPriority keeps the lane of sim(0) busy until all is pushed.
func TestWhatIsReadyRunsByItsPriority(t *testing.T) {
	for name, c := range map[string]struct {
		operator string
		call     func(s *kvstore.Store, key string, x []*nd.Array, priority int)
	}{
		"push": {"add", func(s *kvstore.Store, key string, x []*nd.Array, priority int) { s.Push(key, x, priority) }},
		"pull": {"copy", func(s *kvstore.Store, key string, x []*nd.Array, priority int) { s.Pull(key, x, priority) }},
	} {
		t.Run(name, func(t *testing.T) {
			env := newEnv(t, "perdevice")
			s := kvstore.NewDevice(env, []device.Device{device.Sim(0), device.Sim(0)})
			priorities := []int{0, -3, 4, 2}
			arrays := map[int][]*nd.Array{}
			for i := range priorities {
				s.Init(fmt.Sprint(i), nd.ZerosIn(env, dtype.Float32, 1000*(i+1)))
				arrays[i] = on(env, s, always(1), 1000*(i+1))
			}
			require.NoError(t, env.Engine().WaitAll(context.Background()))
			launching, gate, log := make(chan struct{}), make(chan struct{}), &ends{name: c.operator}
			defer env.Engine().Observe(log)()
			env.Engine().Push(&engine.Operation{Name: "gate", Device: device.Sim(0), Function: engine.FunctionOf(func(*engine.RunContext) error {
				close(launching)
				<-gate
				return nil
			})})
			<-launching
			for i, p := range priorities {
				c.call(s, fmt.Sprint(i), arrays[i], p)
			}
			close(gate)
			require.NoError(t, env.Engine().WaitAll(context.Background()))
			var order []int64
			for _, bytes := range log.bytes {
				if per := bytes / 4000; len(order) == 0 || order[len(order)-1] != per {
					order = append(order, per)
				}
			}
			each := order[0] / 3 // what an operation reads and writes of the third key, which is the first, for each thousand of elements
			require.Equal(t, []int64{3 * each, 4 * each, 1 * each, 2 * each}, order)
		})
	}
}
