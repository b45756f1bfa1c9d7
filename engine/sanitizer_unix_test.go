//go:build unix

package engine_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
	"golang.org/x/sys/unix"
)

// page is memory that can be touched only while it is open.
type page struct {
	memory []byte
	opened int
	mu     sync.Mutex
}

func newPage(t *testing.T) *page {
	memory, err := unix.Mmap(-1, 0, os.Getpagesize(), unix.PROT_NONE, unix.MAP_ANON|unix.MAP_PRIVATE)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, unix.Munmap(memory)) })
	return &page{memory: memory}
}

// Open implements engine.Guard.
func (p *page) Open(write bool, _, _ int64) { p.change(1, write) }

// Close implements engine.Guard.
func (p *page) Close(write bool, _, _ int64) { p.change(-1, write) }

func (p *page) change(by int, write bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.opened += by
	protection := unix.PROT_NONE
	if p.opened > 0 {
		protection = unix.PROT_READ
		if write {
			protection |= unix.PROT_WRITE
		}
	}
	if err := unix.Mprotect(p.memory, protection); err != nil {
		panic(err)
	}
}

func (p *page) address() uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(p.memory))) }

// locatePages makes engines know the given pages until the end of the test.
func locatePages(t *testing.T, pages ...*page) {
	engine.LocateMemory(func(address uintptr) (engine.Place, bool) {
		for _, p := range pages {
			if offset := int64(address - p.address()); p.address() <= address && offset < int64(len(p.memory)) {
				return engine.Place{What: "the test's page", Guard: p, Offset: offset}, true
			}
		}
		return engine.Place{}, false
	})
	t.Cleanup(func() { engine.LocateMemory(func(uintptr) (engine.Place, bool) { return engine.Place{}, false }) })
}

func onSanitized(t *testing.T, check func(t *testing.T, e engine.Engine)) {
	for _, kind := range []string{"naive", "pooled", "perdevice", "shuffled"} {
		t.Run(kind, func(t *testing.T) {
			e, err := engine.New(kind, engine.WithSanitizer())
			require.NoError(t, err)
			check(t, e)
			require.NoError(t, e.Close(context.Background()))
		})
	}
}

func TestSanitizerStopsWhatIsNotDeclared(t *testing.T) {
	declared, other := newPage(t), newPage(t)
	locatePages(t, declared, other)
	read := func(p *page) func() { return func() { runtime.KeepAlive(p.memory[3]) } }
	write := func(p *page) func() { return func() { p.memory[3] = 1 } }
	cases := map[string]struct {
		mode  engine.Mode
		hi    int64
		touch func()
		says  string
	}{
		"read of what is not declared":      {engine.Update, 0, read(other), "what the operation does not declare"},
		"write of what is not declared":     {engine.Update, 0, write(other), "what the operation does not declare"},
		"write of what is declared read":    {engine.Read, 0, write(declared), "what the operation declares only to read"},
		"write inside what is declared":     {engine.Read, 100, write(declared), "what the operation declares only to read"},
		"write outside of what is declared": {engine.Read, 2, write(declared), "what is outside of the bytes [0,2) that the operation declares"},
		"read of what is declared":          {engine.Read, 0, read(declared), ""},
		"write of what is declared":         {engine.Write, 0, write(declared), ""},
	}
	onSanitized(t, func(t *testing.T, e engine.Engine) {
		for name, c := range cases {
			for _, host := range []bool{false, true} {
				v, w, out := e.NewVar(), e.NewVar(), e.NewVar()
				require.True(t, v.Sanitized())
				v.SetGuard(declared)
				w.SetGuard(other)
				e.Push(&engine.Operation{
					Name: "touching", Host: host, Site: fault.Here(0),
					Accesses: []engine.Access{{Var: v, Mode: c.mode, Hi: c.hi}, {Var: out, Mode: engine.Write}},
					Function: engine.FunctionOf(func(*engine.RunContext) error { c.touch(); return nil }),
				})
				err := e.Wait(context.Background(), out)
				if c.says == "" {
					require.NoError(t, err, name)
					continue
				}
				require.ErrorIs(t, err, fault.ErrAccess, name)
				var failure *fault.Error
				require.ErrorAs(t, err, &failure)
				require.Contains(t, string(failure.Stack), "sanitizer_unix_test.go", name)
				for _, part := range []string{"touching", "the test's page", c.says, "sanitizer_unix_test.go:", "address 0x"} {
					require.ErrorContains(t, err, part, name)
				}
				require.Zero(t, declared.opened+other.opened, name)
				runtime.KeepAlive(w)
			}
		}
		done := e.NewVar()
		e.Push(&engine.Operation{Accesses: []engine.Access{{Var: done, Mode: engine.Write}}, Function: engine.FunctionOf(func(*engine.RunContext) error { return nil })})
		require.NoError(t, e.Wait(context.Background(), done), "the engine goes on")
	})
}

// What is declared by an asynchronous operation is open until its end, not only until its function returns.
func TestSanitizerKeepsOpenWhatAsynchronousWorkUses(t *testing.T) {
	p := newPage(t)
	locatePages(t, p)
	onSanitized(t, func(t *testing.T, e engine.Engine) {
		v := e.NewVar()
		v.SetGuard(p)
		e.Push(&engine.Operation{
			Name: "asynchronous", Accesses: []engine.Access{{Var: v, Mode: engine.Write}},
			Async: func(_ *engine.RunContext, complete func(error)) {
				go func() {
					p.memory[0]++
					complete(nil)
				}()
			},
		})
		require.NoError(t, e.Wait(context.Background(), v))
		require.Zero(t, p.opened)
		out := e.NewVar()
		e.Push(&engine.Operation{
			Name: "asynchronous", Accesses: []engine.Access{{Var: v, Mode: engine.Read}, {Var: out, Mode: engine.Write}},
			Async: func(_ *engine.RunContext, complete func(error)) { p.memory[0]++; complete(nil) },
		})
		require.ErrorIs(t, e.Wait(context.Background(), out), fault.ErrAccess)
		require.Zero(t, p.opened)
	})
}

// The error of an operation that writes nothing would be lost.
func TestSanitizerLogsErrorsThatStickToNothing(t *testing.T) {
	p := newPage(t)
	locatePages(t, p)
	var log bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	t.Cleanup(func() { slog.SetDefault(before) })
	e := engine.NewNaive(engine.WithSanitizer())
	v := e.NewVar()
	v.SetGuard(p)
	e.Push(&engine.Operation{
		Name: "only reading", Accesses: []engine.Access{{Var: v}}, Function: engine.FunctionOf(func(*engine.RunContext) error { p.memory[0] = 1; return nil }),
	})
	require.NoError(t, e.Close(context.Background()))
	require.Regexp(t, "only reading.*undeclared access.*declares only to read.*sanitizer_unix_test.go", log.String())
}

func TestSanitizerRunsLeavesOneAtATimeWithoutHelpers(t *testing.T) {
	onSanitized(t, func(t *testing.T, e engine.Engine) {
		var running, most atomic.Int32
		for range 200 {
			e.Push(&engine.Operation{
				Accesses: []engine.Access{{Var: e.NewVar(), Mode: engine.Write}},
				Function: engine.FunctionOf(func(rc *engine.RunContext) error {
					now := running.Add(1)
					most.Store(max(most.Load(), now, int32(rc.Thread.NumThreads())))
					runtime.Gosched()
					running.Add(-1)
					return nil
				}),
			})
		}
		require.NoError(t, e.WaitAll(context.Background()))
		require.EqualValues(t, 1, most.Load())
	})
}

// Panics that are no touch of known memory are what they are without the sanitizer, and functions may end their goroutine.
func TestSanitizerLeavesOtherFailuresAlone(t *testing.T) {
	broken := errors.New("broken")
	cases := map[string]struct {
		function func() error
		want     error
	}{
		"error":           {func() error { return broken }, broken},
		"panic":           {func() error { panic(broken) }, broken},
		"nil pointer":     {func() error { var p *page; p.opened++; return nil }, fault.ErrPanic},
		"exit":            {func() error { runtime.Goexit(); return nil }, fault.ErrPanic},
		"unknown address": {func() error { return touchUnknown() }, fault.ErrPanic},
	}
	onSanitized(t, func(t *testing.T, e engine.Engine) {
		for name, c := range cases {
			v := e.NewVar()
			e.Push(&engine.Operation{Host: true, Name: name, Accesses: []engine.Access{{Var: v, Mode: engine.Write}}, Device: device.CPU(0),
				Function: engine.FunctionOf(func(*engine.RunContext) error { return c.function() })})
			err := e.Wait(context.Background(), v)
			require.ErrorIs(t, err, c.want, name)
			require.NotErrorIs(t, err, fault.ErrAccess, name)
		}
	})
}

// touchUnknown writes to memory that is mapped, closed, and nobody's.
func touchUnknown() error {
	memory, err := unix.Mmap(-1, 0, os.Getpagesize(), unix.PROT_NONE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Munmap(memory) }()
	memory[0] = 1
	return nil
}

func TestEnvironmentTurnsTheSanitizerOn(t *testing.T) {
	t.Setenv("WEFT_SANITIZE", "1")
	e := engine.NewNaive()
	require.True(t, e.NewVar().Sanitized())
	require.True(t, engine.Sanitizing())
	require.NoError(t, e.Close(context.Background()))
	t.Setenv("WEFT_SANITIZE", "")
	e = engine.NewNaive()
	require.False(t, e.NewVar().Sanitized())
	require.NoError(t, e.Close(context.Background()))
}
