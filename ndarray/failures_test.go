package ndarray_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
)

func TestFailuresAtRunTimeComeBackFromWhateverWaitsEachTime(t *testing.T) {
	var failed, dependant *nd.Array
	start := func() { failed = floats(3, 2).Take(nd.FromSlice([]int64{0, 7}), 0) }
	start()
	dependant = failed.AddScalar(1).T().Exp()
	for _, a := range []*nd.Array{failed, failed.T(), failed.Index(0), dependant} {
		for name, wait := range map[string]func() error{
			"Wait":     func() error { return a.Wait(context.Background()) },
			"Values":   func() error { _, err := nd.Values[float32](a); return err },
			"ValuesAs": func() error { _, err := nd.ValuesAs[int64](a); return err },
			"At":       func() error { _, err := nd.At[float32](a.Reshape(-1), 0); return err },
			"Iter":     func() error { _, err := nd.Iter[float32](context.Background(), a); return err },
			"Read":     func() error { return nd.Read(context.Background(), a.Copy(), func([]float32) error { return nil }) },
			"AsMatrix": func() error { _, err := nd.AsMatrix(a.Reshape(-1, 1)); return err },
			"WriteNPY": func() error { return nd.WriteNPY(&bytes.Buffer{}, a) },
			"WriteNPZ": func() error { return nd.WriteNPZ(&bytes.Buffer{}, map[string]*nd.Array{"a": a}) },
			"printing": func() error { return errors.New(fmt.Sprint(a)) },
		} {
			for range 2 {
				err := wait()
				require.Error(t, err, name)
				if name != "printing" {
					require.ErrorIs(t, err, fault.ErrIndex, name)
				}
				for _, text := range []string{"take", "index 7", "(3,2)", lineOf(start)} {
					require.Contains(t, err.Error(), text, name)
				}
			}
		}
	}
}

func TestFailuresDoNotReachOperands(t *testing.T) {
	x := floats(3)
	require.Error(t, x.Take(nd.FromSlice([]int64{9}), 0).Wait(context.Background()))
	require.Equal(t, []float32{0, 1, 2}, values[float32](t, x))
}

func TestWritingAllOfAnArrayCuresIt(t *testing.T) {
	x := floats(3).Take(nd.FromSlice([]int64{9, 9}), 0)
	require.Error(t, x.Wait(context.Background()))
	nd.ExpInto(x, nd.Zeros[float32](2))
	require.Equal(t, []float32{1, 1}, values[float32](t, x))
}

func TestWritingAllOfAPartCuresThePart(t *testing.T) {
	zeros := nd.Zeros[float32](4)
	cures := map[string]func(part *nd.Array){
		"SetSlice":   func(part *nd.Array) { part.SetSlice(zeros) },
		"CopyInto":   func(part *nd.Array) { nd.CopyInto(part, zeros) },
		"AddInto":    func(part *nd.Array) { nd.AddInto(part, zeros, zeros) },
		"turned":     func(part *nd.Array) { nd.CopyInto(part.Flip(0).Reshape(2, 2).T(), zeros.Reshape(2, 2)) },
		"CumSumInto": func(part *nd.Array) { nd.CumSumInto(part, zeros, 0) },
	}
	for name, cure := range cures {
		t.Run(name, func(t *testing.T) {
			base := floats(12)
			first, second := base.Index(nd.Span(0, 4)), base.Index(nd.Span(4, 8))
			for _, part := range []*nd.Array{first, second} {
				nd.AddAlongAxisInto(part, part, nd.FromSlice([]int64{99}, 1), nd.FromSlice([]float32{1}, 1), 0)
			}
			require.Error(t, first.Wait(context.Background()))
			cure(first)
			require.Equal(t, []float32{0, 0, 0, 0}, values[float32](t, first))
			_, err := nd.Values[float32](second)
			require.ErrorContains(t, err, "index 99", "what was not written is as it was")
			cure(second)
			require.Equal(t, []float32{0, 0, 0, 0, 0, 0, 0, 0, 8, 9, 10, 11}, values[float32](t, base))
		})
	}
}

func TestAPartWrittenWhereTheRestIsNotIsInError(t *testing.T) {
	x := floats(8)
	elsewhere := x.To(device.CPU(1))
	require.Equal(t, []float32{0, 1, 2, 3, 4, 5, 6, 7}, values[float32](t, elsewhere.Abs()))
	nd.CopyInto(x.Index(nd.Span(0, 2)), nd.Ones[float32](2))
	part := x.Index(nd.Span(4, 8))
	nd.AddAlongAxisInto(part, part, nd.FromSlice([]int64{99}, 1), nd.FromSlice([]float32{1}, 1), 0)
	// What is not written has to be brought there first, and that is in error.
	nd.CopyInto(elsewhere.Index(nd.Span(0, 4)), nd.Ones[float32](4).To(device.CPU(1)))
	for _, a := range []*nd.Array{elsewhere, x} {
		_, err := nd.Values[float32](a.Index(nd.Span(0, 4)))
		require.ErrorContains(t, err, "index 99")
	}
	nd.CopyInto(x, nd.Zeros[float32](8))
	require.Equal(t, make([]float32, 8), values[float32](t, elsewhere))
}

func TestWritingSomeElementsOfAPartCuresNothing(t *testing.T) {
	base := floats(8)
	part := base.Index(nd.Span(0, 4))
	nd.AddAlongAxisInto(part, part, nd.FromSlice([]int64{99}, 1), nd.FromSlice([]float32{1}, 1), 0)
	require.Error(t, part.Wait(context.Background()))
	nd.CopyInto(base.Index(nd.SpanBy(0, 4, 2)), nd.Zeros[float32](2))
	nd.CopyInto(base.Index(nd.SpanBy(1, 4, 2)), nd.Zeros[float32](2))
	_, err := nd.Values[float32](part)
	require.ErrorContains(t, err, "index 99")
	nd.AddInto(part, part, nd.Zeros[float32](4))
	_, err = nd.Values[float32](part)
	require.ErrorContains(t, err, "index 99", "what is read is not cured")
}

func TestEndedContextsEndWaits(t *testing.T) {
	cause := errors.New("the user left")
	ended, end := context.WithCancelCause(context.Background())
	end(cause)
	x := floats(2, 3)
	called := false
	_, err := nd.ValuesContext[float32](ended, x)
	require.ErrorIs(t, err, cause)
	_, err = nd.Iter[float32](ended, x)
	require.ErrorIs(t, err, cause)
	err = nd.Write(ended, x, func([]float32) error { called = true; return nil })
	require.ErrorIs(t, err, cause)
	require.False(t, called)
}

func TestWaitEndsWithItsContextWhileAWriterRuns(t *testing.T) {
	x := floats(2)
	held, release, done := make(chan struct{}), make(chan struct{}), make(chan error)
	go func() {
		done <- nd.Write(context.Background(), x, func(elements []float32) error {
			close(held)
			<-release
			elements[0] = 9
			return nil
		})
	}()
	<-held
	ended, end := context.WithCancel(context.Background())
	end()
	require.ErrorIs(t, x.Wait(ended), context.Canceled)
	close(release)
	require.NoError(t, <-done)
	require.Equal(t, []float32{9, 1}, values[float32](t, x))
}

func TestReadingMoreThanMemoryHoldsIsAnError(t *testing.T) {
	huge := nd.Ones[float32]().BroadcastTo(1 << 50)
	_, err := nd.Values[float32](huge)
	require.ErrorIs(t, err, fault.ErrOutOfMemory)
	_, err = nd.ValuesAs[float64](huge)
	require.ErrorIs(t, err, fault.ErrOutOfMemory)
	_, err = nd.Iter[float32](context.Background(), huge)
	require.ErrorIs(t, err, fault.ErrOutOfMemory)
	require.ErrorIs(t, nd.WriteNPY(io.Discard, huge), fault.ErrOutOfMemory)
}

func TestACancelledScopeSkipsOperatorsAndNotReading(t *testing.T) {
	scope, end := context.WithCancel(context.Background())
	x := floats(2, 2).In(nd.DefaultEnv().WithScope(scope))
	end()
	require.ErrorIs(t, x.Exp().Wait(context.Background()), context.Canceled)
	require.Equal(t, []float32{0, 2, 1, 3}, values[float32](t, x.T()))
	require.Equal(t, "[[0. 1.]\n [2. 3.]]", fmt.Sprint(x))
}

func TestErrorsOfConstantsNameTheFunction(t *testing.T) {
	scope, end := context.WithCancel(context.Background())
	env := nd.DefaultEnv().WithScope(scope)
	end()
	require.ErrorContains(t, nd.OnesIn(env, dtype.Float32, 3).Wait(context.Background()), "weft: OnesIn:")
	require.ErrorContains(t, nd.FullIn(env, dtype.Float32, 2, 3).Wait(context.Background()), "weft: FullIn:")
	require.ErrorContains(t, nd.Full[float32](2, 1<<40).Wait(context.Background()), "weft: Full:")
}

// TestErrorsWhileFunctionsRunNameThem has functions that are made of operators which may fail while they run.
func TestErrorsWhileFunctionsRunNameThem(t *testing.T) {
	far, mask := nd.FromSlice([]int64{0, 7}), nd.FromSlice([]bool{true, false, true})
	changed := func(change func(x *nd.Array)) func(x *nd.Array) *nd.Array {
		return func(x *nd.Array) *nd.Array {
			change(x)
			return x
		}
	}
	for name, call := range map[string]func(x *nd.Array) *nd.Array{
		"Embedding":     func(x *nd.Array) *nd.Array { return nd.Embedding(x, far) },
		"Index":         func(x *nd.Array) *nd.Array { return x.Index(far) },
		"Scatter":       func(x *nd.Array) *nd.Array { return x.Scatter(far, floats(2, 2), 0) },
		"ScatterAdd":    func(x *nd.Array) *nd.Array { return x.ScatterAdd(far, floats(2, 2), 0) },
		"ScatterNDAdd":  func(x *nd.Array) *nd.Array { return x.ScatterNDAdd(far.Reshape(2, 1), floats(2, 2)) },
		"AddAlongAxis":  func(x *nd.Array) *nd.Array { return x.AddAlongAxis(far.Reshape(2, 1), nd.Weak(1.0), 0) },
		"ScatterReduce": func(x *nd.Array) *nd.Array { return x.ScatterReduce(nd.ReduceMax, far, floats(2, 2), 0) },
		"ScatterNDReduce": func(x *nd.Array) *nd.Array {
			return x.ScatterNDReduce(nd.ReduceMin, far.Reshape(2, 1), floats(2, 2))
		},
		"ReduceAlongAxis": func(x *nd.Array) *nd.Array {
			return x.ReduceAlongAxis(nd.ReduceMul, far.Reshape(2, 1), nd.Weak(1.0), 0)
		},
		"WithSliceReduced":  func(x *nd.Array) *nd.Array { return x.WithSliceReduced(nd.ReduceMax, nd.Weak(1.0), far) },
		"Digitize":          func(x *nd.Array) *nd.Array { return x.Digitize(nd.FromSlice([]float32{3, 1})) },
		"Histogram":         func(x *nd.Array) *nd.Array { return x.Histogram(nd.FromSlice([]float32{3, 1, 2})) },
		"WithSlice":         func(x *nd.Array) *nd.Array { return x.WithSlice(nd.Weak(1.0), far) },
		"ScatterInto":       changed(func(x *nd.Array) { nd.ScatterInto(x, x, far, floats(2, 2), 0) }),
		"ScatterAddInto":    changed(func(x *nd.Array) { nd.ScatterAddInto(x, x, far, floats(2, 2), 0) }),
		"AddAlongAxisInto":  changed(func(x *nd.Array) { nd.AddAlongAxisInto(x, x, far.Reshape(2, 1), nd.Weak(1.0), 0) }),
		"ScatterReduceInto": changed(func(x *nd.Array) { nd.ScatterReduceInto(x, x, nd.ReduceMax, far, floats(2, 2), 0) }),
		"ReduceAlongAxisInto": changed(func(x *nd.Array) {
			nd.ReduceAlongAxisInto(x, x, nd.ReduceMax, far.Reshape(2, 1), nd.Weak(1.0), 0)
		}),
		"ReduceSlice": changed(func(x *nd.Array) { x.ReduceSlice(nd.ReduceMin, nd.Weak(1.0), far) }),
		"SetSlice":    changed(func(x *nd.Array) { x.SetSlice(floats(3, 2), mask) }),
		"AddSlice":    changed(func(x *nd.Array) { x.AddSlice(nd.Weak(1.0), far) }),
	} {
		err := call(floats(3, 2)).Wait(t.Context())
		var typed *nd.Error
		require.ErrorAs(t, err, &typed, name)
		require.Equal(t, name, typed.Operator)
		require.Contains(t, err.Error(), "failures_test.go:", name)
	}
}
