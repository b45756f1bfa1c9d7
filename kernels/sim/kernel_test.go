package sim

import (
	"errors"
	"io"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/parallel"
)

func float32View(p device.Pointer, shape, strides []int) device.View {
	return device.View{Pointer: p, DType: dtype.Float32, Shape: shape, Strides: strides}
}

func TestKernelOfTheCPURunsOnStridedViews(t *testing.T) {
	b := New(1)
	add, found := b.Kernel(device.KernelName("add", dtype.Float32))
	require.True(t, found)
	_, found = b.Kernel("no such operator/float32")
	require.False(t, found)

	s := newStream(t, b, 0)
	left := upload(t, s, []float32{1, 2, 3, 4, 5, 6})
	right := upload(t, s, []float32{10, 20, 30})
	sum := upload(t, s, make([]float32, 12))
	require.NoError(t, add.Launch(s, &device.Arguments{
		Outputs: []device.View{float32View(sum, []int{3, 2}, []int{4, 2})}, // every second element
		Inputs: []device.View{
			float32View(left, []int{3, 2}, []int{1, 3}),          // transposed
			float32View(right.Add(8), []int{3, 2}, []int{-1, 0}), // backwards, repeated
		},
	}))
	want := []float32{1 + 30, 0, 4 + 30, 0, 2 + 20, 0, 5 + 20, 0, 3 + 10, 0, 6 + 10, 0}
	require.Equal(t, want, download[float32](t, s, sum, 12))
	require.Equal(t, 1, b.Stats(0).Launches)
}

func TestLaunchCopiesItsArguments(t *testing.T) {
	b := New(1)
	s := newStream(t, b, 0)
	release := b.Hold(0)
	p, scratch := upload(t, s, []byte{1, 2, 3}), allocate(t, b, 0, 16)
	a := &device.Arguments{
		Outputs: []device.View{bytesView(p, 3)}, Inputs: []device.View{bytesView(p, 2)},
		Integers: []int64{5}, Scalars: []float64{0.5}, Scratch: scratch,
	}
	var seen device.Arguments
	look := define(b, "look", func(_ *parallel.Thread, a *device.Arguments) error {
		seen = *a
		seen.Scratch.Bytes(16)[15] = 1
		return nil
	})
	require.NoError(t, look.Launch(s, a))
	a.Outputs[0].Shape[0], a.Outputs[0].Strides[0] = 77, 88
	a.Outputs[0].Pointer, a.Inputs[0].Pointer = device.Pointer{}, device.Pointer{}
	a.Integers[0], a.Scalars[0], a.Scratch = 0, 0, device.Pointer{}
	release()
	require.NoError(t, record(t, s).Wait())
	require.Equal(t, []int{3}, seen.Outputs[0].Shape)
	require.Equal(t, []int{1}, seen.Outputs[0].Strides)
	require.Equal(t, []byte{1, 2, 3}, seen.Outputs[0].Pointer.Bytes(3))
	require.Equal(t, seen.Outputs[0].Pointer, seen.Inputs[0].Pointer)
	require.Equal(t, []int64{5}, seen.Integers)
	require.Equal(t, []float64{0.5}, seen.Scalars)
}

func TestViewsAreCheckedAgainstTheirAllocation(t *testing.T) {
	b := New(1)
	p := allocate(t, b, 0, 24*4)
	cases := []struct {
		name  string
		view  device.View
		fault string // part of the text; empty if the view is right
	}{
		{"all, row by row", float32View(p, []int{4, 6}, []int{6, 1}), ""},
		{"all, backwards", float32View(p.Add(23*4), []int{4, 6}, []int{-6, -1}), ""},
		{"mixed directions", float32View(p.Add(5*4), []int{4, 6}, []int{6, -1}), ""},
		{"repeated without end", float32View(p.Add(23*4), []int{1 << 40, 1 << 40}, []int{0, 0}), ""},
		{"0-d", float32View(p.Add(23*4), nil, nil), ""},
		{"one index along a wide axis", float32View(p, []int{1, 24}, []int{math.MaxInt, 1}), ""},
		{"no elements, nowhere", float32View(device.Pointer{}, []int{3, 0}, []int{1 << 60, 1}), ""},
		{"one row too many", float32View(p, []int{5, 6}, []int{6, 1}), "only 96 bytes left of 96"},
		{"one step before", float32View(p.Add(22*4), []int{4, 6}, []int{-6, -1}), "no live allocation"},
		{"last element half inside", float32View(p.Add(24*4-2), nil, nil), "misaligned"},
		{"0-d behind", float32View(p.Add(24*4), nil, nil), "no live allocation"},
		{"far forward", float32View(p, []int{1 << 40, 1 << 40}, []int{1 << 40, 1}), "leaves the address space"},
		{"far backward", float32View(p, []int{3, 1 << 40}, []int{math.MinInt, -1 << 40}), "leaves the address space"},
		{"wraps around", float32View(p, []int{2, 2}, []int{1 << 62, -1 << 62}), "leaves the address space"},
		{"host memory", float32View(host(make([]float32, 4)), []int{4}, []int{1}), "do not reach host memory"},
		{"strides missing", float32View(p, []int{4, 6}, []int{1}), "no view"},
		{"negative length", float32View(p, []int{-4}, []int{1}), "no view"},
		{"no element type", device.View{Pointer: p}, "no view"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			for _, a := range []*device.Arguments{{Outputs: []device.View{c.view}}, {Inputs: []device.View{c.view}}} {
				s, ran := newStream(t, b, 0), false
				k := define(b, "touch", func(*parallel.Thread, *device.Arguments) error {
					ran = true
					return nil
				})
				require.NoError(t, k.Launch(s, a))
				err := s.Close()
				require.Equal(t, c.fault == "", ran)
				if c.fault == "" {
					require.NoError(t, err)
				} else {
					require.ErrorContains(t, err, c.fault)
					require.ErrorContains(t, err, "sim(0)")
					require.Regexp(t, `^touch: (in|out)put 0: `, err.Error())
				}
			}
		})
	}
}

func TestFaultsOfKernels(t *testing.T) {
	reason := errors.New("reason")
	b := New(1)
	p := allocate(t, b, 0, 3)
	good := &device.Arguments{Outputs: []device.View{bytesView(p, 3)}, Scratch: p}
	cases := []struct {
		name string
		a    *device.Arguments
		run  func(a *device.Arguments) error
		want error
		text string
	}{
		{"none", good, func(*device.Arguments) error { return nil }, nil, ""},
		{"returned", good, func(*device.Arguments) error { return reason }, reason, "reason"},
		{"panic with a text", good, func(*device.Arguments) error { panic("broken") }, fault.ErrPanic, "weft: faulty: panic: broken on sim(0)"},
		{"panic with an error", good, func(*device.Arguments) error { panic(reason) }, reason, "panic: reason"},
		{"writes behind", good, func(a *device.Arguments) error { a.Outputs[0].Pointer.Bytes(4)[3] = 1; return nil }, nil, "outside of the allocation"},
		{"scratch nowhere", &device.Arguments{Scratch: device.Pointer{Address: 1}}, func(*device.Arguments) error { return nil }, nil, "scratch memory"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := newStream(t, b, 0)
			k := define(b, "faulty", func(_ *parallel.Thread, a *device.Arguments) error { return c.run(a) })
			require.NoError(t, k.Launch(s, c.a))
			err := record(t, s).Wait()
			if c.text == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, c.text)
			if c.want != nil {
				require.ErrorIs(t, err, c.want)
			}
			if panicked := (*fault.Error)(nil); errors.As(err, &panicked) {
				require.ErrorIs(t, err, fault.ErrPanic)
				require.Contains(t, string(panicked.Stack), "TestFaultsOfKernels")
			}
			require.NoError(t, s.Close())
		})
	}
}

func TestInjectedFaultHitsOnlyTheNextLaunchOfItsKernel(t *testing.T) {
	b := New(2)
	runs := 0
	count := define(b, "count", func(*parallel.Thread, *device.Arguments) error { runs++; return nil })
	other := define(b, "other", func(*parallel.Thread, *device.Arguments) error { return nil })
	s := newStream(t, b, 1)
	b.InjectFault("count", io.ErrUnexpectedEOF)
	for _, step := range []struct {
		kernel *kernel
		want   error
		runs   int
	}{{other, nil, 0}, {count, io.ErrUnexpectedEOF, 0}, {count, nil, 1}} {
		require.NoError(t, step.kernel.Launch(s, &device.Arguments{}))
		require.ErrorIs(t, record(t, s).Wait(), step.want)
		require.Equal(t, step.runs, runs)
	}
	require.Panics(t, func() { b.InjectFault("count", nil) })
}
