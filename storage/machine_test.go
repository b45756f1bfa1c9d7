package storage_test

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/kernels/sim"
	"github.com/weft-nd/weft/storage"
)

var (
	cpu0, cpu1 = device.CPU(0), device.CPU(1)
	sim0, sim1 = device.Sim(0), device.Sim(1)
	background = context.Background()
)

// machine is an engine with helpers that read and write storage on any device.
type machine struct {
	t *testing.T
	engine.Engine
	own  atomic.Int64 // copies and fills of the helpers themselves
	base int
}

func onEngines(t *testing.T, test func(t *testing.T, m *machine)) {
	for _, name := range []string{"naive", "perdevice"} {
		t.Run(name, func(t *testing.T) { test(t, newMachine(t, name)) })
	}
}

func newMachine(t *testing.T, name string) *machine {
	e, err := engine.New(name)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, e.Close(background)) })
	m := &machine{t: t, Engine: e}
	m.forgetTraffic()
	return m
}

func allTraffic() int {
	all := 0
	for index := range 2 {
		s := sim.Default().Stats(index)
		all += s.HostToDevice.Copies + s.DeviceToHost.Copies + s.DeviceToDevice.Copies + s.Fills
	}
	return all
}

// traffic returns how many copies to, from and between sim devices, and fills of them, coherence has cost since
// forgetTraffic.
func (m *machine) traffic() int { return allTraffic() - m.base - int(m.own.Load()) }

func (m *machine) forgetTraffic() {
	m.base = allTraffic()
	m.own.Store(0)
}

// use is one operand of an operation.
type use struct {
	synced *storage.Synced
	mode   engine.Mode
	lo, hi int
}

func whole(s *storage.Synced, mode engine.Mode) use { return use{s, mode, 0, s.Bytes()} }

// work is what an operation does with the memory of its operands, each pointer being that of the first byte of all.
type work func(rc *engine.RunContext, at []device.Pointer) error

// acquire fills in op, an operation on d, and pushes it. It returns a variable that is written by op and carries its error.
func (m *machine) acquire(p engine.Pusher, op *engine.Operation, d device.Device, site *fault.Site, run work, uses ...use) *engine.Var {
	for _, u := range uses {
		u.synced.Check("use", u.mode, site)
	}
	done := m.NewVar()
	replicas := make([]*storage.Replica, len(uses))
	for i, u := range uses {
		replicas[i], op.Accesses = u.synced.Acquire(p, d, u.mode, u.lo, u.hi, op.Accesses, site)
	}
	op.Accesses = append(op.Accesses, engine.Access{Var: done, Mode: engine.Write})
	op.Device, op.Site = d, site
	op.Function = engine.FunctionOf(func(rc *engine.RunContext) error {
		at := make([]device.Pointer, len(replicas))
		for i, r := range replicas {
			var err error
			if at[i], err = r.Claim(); err != nil {
				return err
			}
		}
		return run(rc, at)
	})
	p.Push(op)
	return done
}

func (m *machine) do(name string, d device.Device, run work, uses ...use) (done *engine.Var) {
	site := fault.Here(2)
	m.Atomically(func(p engine.Pusher) {
		done = m.acquire(p, &engine.Operation{Name: name}, d, site, run, uses...)
	})
	return done
}

func hostPointer(values []byte) device.Pointer {
	return device.Pointer{Host: unsafe.Pointer(unsafe.SliceData(values))}
}

// put is work that stores values at lo.
func (m *machine) put(values []byte, lo int) work {
	return func(rc *engine.RunContext, at []device.Pointer) error {
		if len(values) == 0 {
			return nil
		}
		if rc.Stream == nil {
			copy(at[0].Add(lo).Bytes(len(values)), values)
			return nil
		}
		m.own.Add(1)
		return rc.Stream.Copy(at[0].Add(lo), hostPointer(values), len(values))
	}
}

// take is work that loads into values from lo.
func (m *machine) take(values []byte, lo int) work {
	return func(rc *engine.RunContext, at []device.Pointer) error {
		if len(values) == 0 {
			return nil
		}
		if rc.Stream == nil {
			copy(values, at[0].Add(lo).Bytes(len(values)))
			return nil
		}
		m.own.Add(1)
		return rc.Stream.Copy(hostPointer(values), at[0].Add(lo), len(values))
	}
}

// write replaces all of s on d.
func (m *machine) write(s *storage.Synced, d device.Device, values []byte) *engine.Var {
	return m.do("write", d, m.put(slices.Clone(values), 0), whole(s, engine.Write))
}

// update replaces values from lo of s on d.
func (m *machine) update(s *storage.Synced, d device.Device, lo int, values []byte) *engine.Var {
	return m.do("update", d, m.put(slices.Clone(values), lo), use{s, engine.Update, lo, lo + len(values)})
}

// reading is a read that is pending or done.
type reading struct {
	machine *machine
	done    *engine.Var
	values  []byte
}

func (m *machine) readPart(s *storage.Synced, d device.Device, lo, hi int) reading {
	values := make([]byte, hi-lo)
	return reading{m, m.do("read", d, m.take(values, lo), use{s, engine.Read, lo, hi}), values}
}

func (m *machine) read(s *storage.Synced, d device.Device) reading {
	return m.readPart(s, d, 0, s.Bytes())
}

func (r reading) wait() ([]byte, error) {
	err := r.machine.Wait(background, r.done)
	return r.values, err
}

func (r reading) requires(want []byte) {
	r.machine.t.Helper()
	got, err := r.wait()
	require.NoError(r.machine.t, err)
	require.Equal(r.machine.t, want, got)
}

func (m *machine) requireNoError(vars ...*engine.Var) {
	m.t.Helper()
	for _, v := range vars {
		require.NoError(m.t, m.Wait(background, v))
	}
}

// pattern returns n bytes that differ with seed.
func pattern(n, seed int) []byte {
	values := make([]byte, n)
	for i := range values {
		values[i] = byte(i*7 + seed*31 + 1)
	}
	return values
}

// panicOf returns the *fault.Error that run panics with.
func panicOf(t *testing.T, run func()) (failure *fault.Error) {
	t.Helper()
	defer func() {
		r := recover()
		var ok bool
		failure, ok = r.(*fault.Error)
		require.True(t, ok, fmt.Sprintf("panicked with %v", r))
	}()
	run()
	return nil
}

// aligned returns memory for elements of any type.
func aligned(bytes int) []byte {
	words := make([]uint64, (bytes+7)/8)
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), bytes)
}
