package ndarray_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
)

// requireMisuse calls f, which must panic with a typed error that tells of something nil.
func requireMisuse(t *testing.T, name string, f func()) {
	t.Helper()
	var err *nd.Error
	require.NotPanics(t, func() {
		failure := nd.Try(f)
		require.Error(t, failure, name)
		require.True(t, errors.As(failure, &err), name)
	}, name)
	require.ErrorIs(t, err, fault.ErrMisuse, name)
	require.Contains(t, err.Error(), "nil", name)
}

// callMethod calls a method of a with the given operand in the place of every array, and zeros in that of other parameters.
func callMethod(a *nd.Array, m reflect.Method, operand *nd.Array) {
	arguments := []reflect.Value{reflect.ValueOf(a)}
	for i := 1; i < m.Type.NumIn(); i++ {
		switch p := m.Type.In(i); {
		case m.Type.IsVariadic() && i == m.Type.NumIn()-1:
			if p.Elem() == reflect.TypeFor[*nd.Array]() {
				arguments = append(arguments, reflect.ValueOf(operand))
			}
		case p == reflect.TypeFor[*nd.Array]():
			arguments = append(arguments, reflect.ValueOf(operand))
		case p == reflect.TypeFor[context.Context]():
			arguments = append(arguments, reflect.ValueOf(context.Background()))
		default:
			arguments = append(arguments, reflect.Zero(p))
		}
	}
	m.Func.Call(arguments)
}

func TestMethodsOfNilArraysAreMistakes(t *testing.T) {
	arrays := reflect.TypeFor[*nd.Array]()
	some := floats(2, 3)
	for i := range arrays.NumMethod() {
		m := arrays.Method(i)
		if m.Name == "String" || m.Name == "Format" || m.Name == "UnmarshalBinary" {
			continue // the first two never panic, and the last makes the array
		}
		for name, none := range map[string]*nd.Array{"nil": nil, "not made": new(nd.Array)} {
			requireMisuse(t, name+" "+m.Name, func() { callMethod(none, m, some) })
			for p := 1; p < m.Type.NumIn(); p++ {
				parameter := m.Type.In(p)
				if parameter == arrays || m.Type.IsVariadic() && p == m.Type.NumIn()-1 && parameter.Elem() == arrays {
					requireMisuse(t, name+" for "+m.Name, func() { callMethod(some, m, none) })
				}
			}
		}
	}
	var none *nd.Array
	require.Equal(t, "<nil>", none.String())
	require.Equal(t, "<nil>", fmt.Sprintf("%v", new(nd.Array)))
}

func TestNilArgumentsOfFunctionsAreMistakes(t *testing.T) {
	ctx, x, whole := context.Background(), floats(3), nd.FromSlice([]int64{0, 1, 2})
	var none *nd.Array
	var noContext context.Context
	for name, call := range map[string]func(){
		"BincountWeighted": func() { _, _ = nd.BincountWeighted(ctx, whole, none, 0) }, "BincountWeighted numbers": func() { _, _ = nd.BincountWeighted(ctx, none, x, 0) },
		"Bincount": func() { _, _ = nd.Bincount(ctx, none, 0) }, "Bincount context": func() { _, _ = nd.Bincount(noContext, whole, 0) },
		"Unique": func() { _, _ = nd.Unique(ctx, none) }, "Unique context": func() { _, _ = nd.Unique(noContext, x) }, "UniqueValues": func() { _, _ = nd.UniqueValues(ctx, none) },
		"Nonzero": func() { _, _ = nd.Nonzero(ctx, none) }, "Nonzero context": func() { _, _ = nd.Nonzero(noContext, x) },
		"Embedding": func() { nd.Embedding(none, whole) }, "Embedding indices": func() { nd.Embedding(x, none) },
		"SearchSorted": func() { nd.SearchSorted(none, x) }, "SearchSortedRight": func() { nd.SearchSortedRight(x, none) }, "Recurrence": func() { nd.Recurrence(x, none, 0) },
		"Concat": func() { nd.Concat(0, x, none) }, "Stack": func() { nd.Stack(0, x, none) }, "Where": func() { nd.Where(none, x, x) },
		"SoftmaxCrossEntropy": func() { nd.SoftmaxCrossEntropy(none, whole) }, "CopyInto": func() { nd.CopyInto(none, x) }, "CastInto": func() { nd.CastInto(none, x) },
		"CastInto source": func() { nd.CastInto(x, none) }, "WhereInto": func() { nd.WhereInto(x, x, none, x) }, "MatMulInto": func() { nd.MatMulInto(none, x, x) },
		"ConvInto": func() { nd.ConvInto(none, x, x, none, nd.ConvParams{}) }, "ScatterInto": func() { nd.ScatterInto(none, x, whole, x, 0) }, "SumInto": func() { nd.SumInto(none, x) },
		"SortInto": func() { nd.SortInto(x, none, 0) }, "CumSumInto": func() { nd.CumSumInto(none, x, 0) }, "TakeInto": func() { nd.TakeInto(none, x, whole, 0) },
		"Values": func() { _, _ = nd.Values[float32](none) }, "Values context": func() { _, _ = nd.ValuesContext[float32](noContext, x) }, "ValuesAs": func() { _, _ = nd.ValuesAs[float32](none) },
		"Item": func() { _, _ = nd.Item[float32](none) }, "At": func() { _, _ = nd.At[float32](none, 0) }, "Set": func() { nd.Set[float32](none, 0, 0) },
		"Iter": func() { _, _ = nd.Iter[float32](ctx, none) }, "Iter context": func() { _, _ = nd.Iter[float32](noContext, x) }, "Wait context": func() { _ = x.Wait(noContext) },
		"Read":         func() { _ = nd.Read(ctx, none, func([]float32) error { return nil }) },
		"Read context": func() { _ = nd.Read(noContext, x, func([]float32) error { return nil }) }, "Read function": func() { _ = nd.Read[float32](ctx, x, nil) },
		"Write context": func() { _ = nd.Write(noContext, x, func([]float32) error { return nil }) }, "Weak": func() { nd.WeakIn(nil, 1) },
		"ReadNPY": func() { _, _ = nd.ReadNPY(nil) }, "ReadNPYIn": func() { _, _ = nd.ReadNPYIn(x.Env(), nil) }, "WriteNPY writer": func() { _ = nd.WriteNPY(nil, x) },
		"ReadNPZ": func() { _, _ = nd.ReadNPZ(nil, 100) }, "ReadNPZIn": func() { _, _ = nd.ReadNPZIn(x.Env(), nil, 100) }, "WriteNPZ writer": func() { _ = nd.WriteNPZ(nil, nil) },
		"WriteNPZ option": func() { _ = nd.WriteNPZ(&bytes.Buffer{}, nil, nil) }, "SaveNPZ option": func() { _ = nd.SaveNPZ("", nil, nd.Compressed(), nil) },
		"ReadSafetensors":   func() { _, _, _ = nd.ReadSafetensors(nil) },
		"ReadSafetensorsIn": func() { _, _, _ = nd.ReadSafetensorsIn(x.Env(), nil) }, "WriteSafetensors": func() { _ = nd.WriteSafetensors(nil, nil, nil) },
		"AsMatrix": func() { _, _ = nd.AsMatrix(none) }, "WriteNPY": func() { _ = nd.WriteNPY(&bytes.Buffer{}, none) },
		"WriteNPZ": func() { _ = nd.WriteNPZ(&bytes.Buffer{}, map[string]*nd.Array{"a": none}) },
	} {
		requireMisuse(t, name, call)
		require.Contains(t, nd.Try(call).Error(), "nil_test.go", name)
	}
}

func TestMistakesInComposedFunctionsHaveTheirNames(t *testing.T) {
	x, y, whole := floats(3, 2), floats(4, 2), nd.FromSlice([]int64{0, 1})
	ctx := context.Background()
	for name, call := range map[string]func(){
		"MoveAxis": func() { x.MoveAxis(0, 5) }, "Stack": func() { nd.Stack(7, x, x) }, "Unstack": func() { x.Unstack(4) }, "Split": func() { x.Split(2, 0) },
		"SplitSizes": func() { x.SplitSizes(0, 1, 1) }, "Flip": func() { x.Flip(3) }, "Roll": func() { x.Roll(1, 5) }, "Repeat": func() { x.Repeat(1<<61, 0) },
		"RepeatEach": func() { x.RepeatEach([]int{1, 2}, 0) }, "Tile": func() { x.Tile(1<<61, 1) }, "PadWith": func() { x.PadWith(nd.PadEdge, []int{-1, 0}, []int{0, 0}) },
		"Squeeze": func() { x.Squeeze(0) }, "ExpandDims": func() { x.ExpandDims(9) }, "Index": func() { x.Index(5) }, "SetSlice": func() { x.SetSlice(y) }, "WithSlice": func() { x.WithSlice(y) },
		"Scatter": func() { x.Scatter(whole, y, 0) }, "ScatterAdd": func() { x.ScatterAdd(x, x, 0) }, "ScatterInto": func() { nd.ScatterInto(y, x, whole, x.Index(nd.Span(0, 2)), 0) },
		"ScatterAddInto": func() { nd.ScatterAddInto(x, x, whole, y, 0) }, "Embedding": func() { nd.Embedding(x, x) }, "ScatterReduce": func() { x.ScatterReduce(nd.ReduceMax, x, x, 0) }, "ReduceSlice": func() { x.ReduceSlice("most", y) }, "Median": func() { x.Median(4) }, "Quantile": func() { x.Quantile(2, 0) },
		"Digitize": func() { x.Digitize(y) }, "Histogram": func() { x.Histogram(y) }, "GlobalMaxPool": func() { x.GlobalMaxPool() },
		"GlobalAveragePool": func() { x.GlobalAveragePool() }, "TopK": func() { x.TopK(9, 0) }, "BottomK": func() { x.BottomK(1, 3) },
		"BincountWeighted": func() { _, _ = nd.BincountWeighted(ctx, whole, x, 0) }, "Bincount": func() { _, _ = nd.Bincount(ctx, x, 0) },
		"Unique": func() { _, _ = nd.Unique(ctx, nd.Zeros[complex64](2)) }, "Full": func() { nd.Full(1.0, -1) }, "Ones": func() { nd.Ones[float32](1<<40, 1<<40) },
	} {
		var err *nd.Error
		require.True(t, errors.As(mistake(t, call), &err), name)
		require.Equal(t, name, err.Operator)
		require.Contains(t, err.Error(), " at "+lineOf(call), name)
		if !slices.Contains([]string{"Full", "Ones"}, name) {
			require.NotEmpty(t, err.Shapes, name)
		}
	}
}
