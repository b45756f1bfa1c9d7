package storagetest_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"runtime"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
	_ "github.com/weft-nd/weft/kernels/sim"
	"github.com/weft-nd/weft/storage"
	"github.com/weft-nd/weft/storage/storagetest"
)

var (
	background = context.Background()
	host       = device.CPU(0)
	sim        = device.Sim(0)
	page       = os.Getpagesize()
)

// onSanitized is here, and not in package storage, because the managers of a process change with its first sanitizer.
func onSanitized(t *testing.T, check func(t *testing.T, e engine.Engine)) {
	for _, kind := range []string{"naive", "pooled", "perdevice", "shuffled"} {
		t.Run(kind, func(t *testing.T) {
			e, err := engine.New(kind, engine.WithSanitizer())
			require.NoError(t, err)
			check(t, e)
			require.NoError(t, e.Close(background))
		})
	}
}

// use is how an operation touches an array.
type use struct {
	synced *storage.Synced
	mode   engine.Mode
	lo, hi int
}

// push runs f on d with the memory of what is used, and returns a variable that the operation writes.
func push(e engine.Engine, d device.Device, f func(rc *engine.RunContext, memory ...device.Pointer) error, uses ...use) *engine.Var {
	done := e.NewVar()
	op := &engine.Operation{Name: "test", Device: d, Accesses: []engine.Access{{Var: done, Mode: engine.Write}}, Site: fault.Here(1)}
	replicas := make([]*storage.Replica, len(uses))
	op.Function = engine.FunctionOf(func(rc *engine.RunContext) error {
		memory := make([]device.Pointer, len(uses))
		for i, r := range replicas {
			var err error
			if memory[i], err = r.Claim(); err != nil {
				return err
			}
		}
		return f(rc, memory...)
	})
	e.Atomically(func(p engine.Pusher) {
		for i, u := range uses {
			replicas[i], op.Accesses = u.synced.Acquire(p, d, u.mode, u.lo, u.hi, op.Accesses, op.Site)
		}
		p.Push(op)
	})
	return done
}

// filled returns an array of the given size, each byte of which is value, and its address.
func filled(t *testing.T, e engine.Engine, size int, value byte) (s *storage.Synced, address device.Pointer) {
	s = storage.NewSynced(e, size)
	done := push(e, host, func(_ *engine.RunContext, memory ...device.Pointer) error {
		address = memory[0]
		for i := range size {
			address.Bytes(size)[i] = value
		}
		return nil
	}, use{s, engine.Write, 0, size})
	require.NoError(t, e.Wait(background, done))
	return s, address
}

func TestSanitizerStopsUndeclaredAccesses(t *testing.T) {
	size := 3*page + 10 // so that the array does not start where its pages do
	read := func(p device.Pointer) { runtime.KeepAlive(*(*byte)(p.Host)) }
	write := func(p device.Pointer) { *(*byte)(p.Host) = 1 }
	cases := map[string]struct {
		uses  func(declared *storage.Synced) use
		touch func(declared, other, small device.Pointer)
		says  []string
	}{
		"read of another array": {
			func(s *storage.Synced) use { return use{s, engine.Update, 0, size} },
			func(_, other, _ device.Pointer) { read(other.Add(page)) },
			[]string{"of an array of", "made at sanitizer_test.go:", "what the operation does not declare"},
		},
		"write of another array": {
			func(s *storage.Synced) use { return use{s, engine.Update, 0, size} },
			func(_, other, _ device.Pointer) { write(other) },
			[]string{"byte 0 of an array of", "what the operation does not declare"},
		},
		"read of another small array": {
			func(s *storage.Synced) use { return use{s, engine.Update, 0, size} },
			func(_, _, small device.Pointer) { read(small) },
			[]string{"byte 0 of an array of 8 bytes", "what the operation does not declare"},
		},
		"copy from another array": {
			func(s *storage.Synced) use { return use{s, engine.Update, 0, size} },
			func(declared, other, _ device.Pointer) { copy(declared.Bytes(size), other.Bytes(size)) },
			[]string{"of an array of", "what the operation does not declare"},
		},
		"write of an array that is read": {
			func(s *storage.Synced) use { return use{s, engine.Read, 0, size} },
			func(declared, _, _ device.Pointer) { read(declared); write(declared.Add(2 * page)) },
			[]string{"of an array of", "what the operation declares only to read"},
		},
		"write a page behind the range": {
			func(s *storage.Synced) use { return use{s, engine.Update, 0, page} },
			func(declared, _, _ device.Pointer) { write(declared); write(declared.Add(2 * page)) },
			[]string{"of an array of", "what is outside of the bytes [0,"},
		},
		"write a page before the range": {
			func(s *storage.Synced) use { return use{s, engine.Update, size - 8, size} },
			func(declared, _, _ device.Pointer) { write(declared.Add(size - 1)); write(declared.Add(page)) },
			[]string{"what is outside of the bytes ["},
		},
		"read behind the end": {
			func(s *storage.Synced) use { return use{s, engine.Update, 0, size} },
			func(declared, _, _ device.Pointer) { read(declared.Add(size + 64)) },
			[]string{"64 bytes behind the end of an array of"},
		},
	}
	onSanitized(t, func(t *testing.T, e engine.Engine) {
		for name, c := range cases {
			declared, address := filled(t, e, size, 1)
			other, otherAddress := filled(t, e, size, 2)
			small, smallAddress := filled(t, e, 8, 3)
			done := push(e, host, func(*engine.RunContext, ...device.Pointer) error {
				c.touch(address, otherAddress, smallAddress)
				return nil
			}, c.uses(declared))
			err := e.Wait(background, done)
			require.ErrorIs(t, err, fault.ErrAccess, name)
			for _, part := range append(c.says, "weft: test: ", ", address 0x", "at sanitizer_test.go:") {
				require.ErrorContains(t, err, part, name)
			}
			require.Equal(t, bytes.Repeat([]byte{2}, size), contents(t, e, other), name)
			require.Equal(t, bytes.Repeat([]byte{3}, 8), contents(t, e, small), name)
		}
	})
}

// contents returns a copy of what s holds.
func contents(t *testing.T, e engine.Engine, s *storage.Synced) (copied []byte) {
	t.Helper()
	done := push(e, host, func(_ *engine.RunContext, memory ...device.Pointer) error {
		copied = bytes.Clone(memory[0].Bytes(s.Bytes()))
		return nil
	}, use{s, engine.Read, 0, s.Bytes()})
	require.NoError(t, e.Wait(background, done))
	return copied
}

func TestSanitizerStopsUseOfFreedMemory(t *testing.T) {
	onSanitized(t, func(t *testing.T, e engine.Engine) {
		for _, size := range []int{8, 5 * page} {
			s, address := filled(t, e, size, 1)
			s.Release(nil)
			require.NoError(t, e.Wait(background, s.Var()))
			done := push(e, host, func(*engine.RunContext, ...device.Pointer) error {
				runtime.KeepAlive(address.Bytes(1)[0])
				return nil
			})
			err := e.Wait(background, done)
			require.ErrorIs(t, err, fault.ErrAccess)
			require.ErrorContains(t, err, fmt.Sprintf("byte 0 of a freed array of %d bytes made at sanitizer_test.go:", size))
		}
		manager, err := storage.ManagerOf(host)
		require.NoError(t, err)
		temporary, err := manager.Allocate(100)
		require.NoError(t, err)
		clear(temporary.Pointer.Bytes(100))
		manager.Free(temporary)
		done := push(e, host, func(*engine.RunContext, ...device.Pointer) error { temporary.Pointer.Bytes(1)[0] = 1; return nil })
		require.ErrorContains(t, e.Wait(background, done), "byte 0 of freed memory of 100 bytes")
	})
}

// An error of the sanitizer sticks to what the operation writes, and is cured like any other.
func TestSanitizerErrorsStick(t *testing.T) {
	onSanitized(t, func(t *testing.T, e engine.Engine) {
		s, _ := filled(t, e, page, 1)
		_, other := filled(t, e, page, 2)
		push(e, host, func(*engine.RunContext, ...device.Pointer) error { other.Bytes(1)[0] = 1; return nil }, use{s, engine.Update, 0, page})
		follower := push(e, host, func(*engine.RunContext, ...device.Pointer) error { return nil }, use{s, engine.Read, 0, page})
		for range 2 {
			require.ErrorIs(t, e.Wait(background, follower), fault.ErrAccess)
			require.ErrorIs(t, s.Var().Err(), fault.ErrAccess)
		}
		push(e, host, func(_ *engine.RunContext, memory ...device.Pointer) error { clear(memory[0].Bytes(page)); return nil }, use{s, engine.Write, 0, page})
		require.Equal(t, make([]byte, page), contents(t, e, s))
	})
}

// What is declared can be touched: in every mode, in parts, in memory that is claimed only by the operation itself, in memory that
// was filled before it belonged to an array, and by the copies between the host and a device.
func TestSanitizerLetsDeclaredAccessesPass(t *testing.T) {
	onSanitized(t, func(t *testing.T, e engine.Engine) {
		for _, size := range []int{1, 8, page, 3*page + 10, 1 << 21} {
			block, err := storage.NewBlock(host, size)
			require.NoError(t, err)
			memory := block.Pointer().Bytes(size)
			for i := range memory {
				memory[i] = 7
			}
			made := storage.NewSyncedFrom(e, host, block, size)
			require.Equal(t, bytes.Repeat([]byte{7}, size), contents(t, e, made))
			zeros := storage.NewSynced(e, size)
			require.Equal(t, make([]byte, size), contents(t, e, zeros))
			user := bytes.Repeat([]byte{9}, size)
			adopted := storage.Adopt(e, device.Pointer{Host: unsafe.Pointer(unsafe.SliceData(user))}, size)
			sum := storage.NewSynced(e, size)
			push(e, host, func(_ *engine.RunContext, memory ...device.Pointer) error {
				for i := range size {
					memory[2].Bytes(size)[i] = memory[0].Bytes(size)[i] + memory[1].Bytes(size)[i]
				}
				return nil
			}, use{made, engine.Read, 0, size}, use{adopted, engine.Read, 0, size}, use{sum, engine.Write, 0, size})
			lo, hi := size/2, (size+1)*3/4
			push(e, host, func(_ *engine.RunContext, memory ...device.Pointer) error {
				clear(memory[0].Bytes(size)[lo:hi])
				return nil
			}, use{sum, engine.Update, lo, hi})
			want := bytes.Repeat([]byte{16}, size)
			clear(want[lo:hi])
			require.Equal(t, want, contents(t, e, sum))
			nothing := func(*engine.RunContext, ...device.Pointer) error { return nil }
			push(e, sim, nothing, use{sum, engine.Update, 0, size}) // so that the host has to be filled again
			require.Equal(t, want, contents(t, e, sum))
			push(e, sim, nothing, use{zeros, engine.Update, 0, size})
			require.Equal(t, make([]byte, size), contents(t, e, zeros))
			for _, s := range []*storage.Synced{made, zeros, sum} {
				s.Release(nil)
			}
		}
	})
}

// Systems bound the mappings of a process, and the runtime of Go needs some: with very many arrays, small ones stay open.
func TestSanitizerLeavesRoomForMappings(t *testing.T) {
	e := engine.NewNaive(engine.WithSanitizer())
	many := make([]*storage.Synced, 40_000)
	for i := range many {
		many[i], _ = filled(t, e, 8, byte(i))
	}
	large, _ := filled(t, e, 1<<16, 1)
	done := push(e, host, func(_ *engine.RunContext, memory ...device.Pointer) error { memory[0].Bytes(1)[0] = 2; return nil }, use{large, engine.Read, 0, 1 << 16})
	require.ErrorIs(t, e.Wait(background, done), fault.ErrAccess)
	for i, s := range many {
		require.Equal(t, bytes.Repeat([]byte{byte(i)}, 8), contents(t, e, s))
		s.Release(nil)
	}
	require.NoError(t, e.Close(background))
}

func TestGuardedManagerHasTheProperties(t *testing.T) {
	storagetest.RunManager(t, func() storage.Manager {
		m, err := storage.NewGuarded(host)
		require.NoError(t, err)
		return m
	})
	_, err := storage.NewGuarded(sim)
	require.ErrorIs(t, err, fault.ErrDevice)
}

// The managers of a process with a sanitizer run the collector, also for brief operations of engines that have none, which hold these up.
func TestBriefOperationsTakeGuardedMemoryWhileArraysAreDropped(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // so that no worker takes the operations first
	sanitized, err := engine.New("perdevice", engine.WithSanitizer())
	require.NoError(t, err)
	e, err := engine.New("perdevice")
	require.NoError(t, err)
	var claimed atomic.Int64
	const operations = 9000
	for range operations {
		storage.NewSynced(e, 1<<20)
		s := storage.NewSynced(e, 1<<10)
		e.Atomically(func(p engine.Pusher) {
			op := &engine.Operation{Name: "brief", Brief: true}
			var r *storage.Replica
			r, op.Accesses = s.Acquire(p, host, engine.Write, 0, s.Bytes(), nil, nil)
			op.Function = engine.FunctionOf(func(*engine.RunContext) error {
				_, err := r.Claim()
				if err == nil {
					claimed.Add(1)
				}
				return err
			})
			p.Push(op)
		})
	}
	require.NoError(t, e.Close(background))
	require.NoError(t, sanitized.Close(background))
	require.EqualValues(t, operations, claimed.Load())
}
