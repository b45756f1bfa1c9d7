package ndarray_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	nd "github.com/weft-nd/weft/ndarray"
)

// square is the length of the sides of the views that overlap.
const square = 4

// overlapping are forms with a destination, on views of one array, all square.
var overlapping = map[string]func(dst, a, b *nd.Array){
	"copy":        func(dst, a, _ *nd.Array) { nd.CopyInto(dst, a) },
	"neg":         func(dst, a, _ *nd.Array) { nd.NegInto(dst, a) },
	"add":         nd.AddInto,
	"add row":     func(dst, a, b *nd.Array) { nd.AddInto(dst, a, b.Index(0)) },
	"sub column":  func(dst, a, b *nd.Array) { nd.SubInto(dst, a.Index(nd.Whole, nd.NewAxis, 1), b) },
	"where":       func(dst, a, b *nd.Array) { nd.WhereInto(dst, a.Greater(b), a, b) },
	"matmul":      nd.MatMulInto,
	"softmax":     func(dst, a, _ *nd.Array) { nd.SoftmaxInto(dst, a, 0) },
	"take":        func(dst, a, _ *nd.Array) { nd.TakeInto(dst, a, whole(3, 0, 3, 1), 1) },
	"scatter":     func(dst, a, b *nd.Array) { nd.ScatterInto(dst, a, whole(3, 0, 3, 1), b, 1) },
	"scatter add": func(dst, a, b *nd.Array) { nd.ScatterAddInto(dst, a, whole(3, 0, 3, 1), b, 0) },
	"put along": func(dst, a, b *nd.Array) {
		nd.PutAlongAxisInto(dst, a, whole(1, 0, 2, 1).Reshape(1, square), b.Index(nd.Span(0, 1)), 0)
	},
	"set part":   func(dst, a, _ *nd.Array) { dst.Index("1:, :3").SetSlice(a.Index("1:, :3")) },
	"set points": func(dst, a, _ *nd.Array) { dst.SetSlice(a.Index(1), "[0, 1, 0, 3], [0, 2, 0, 1]") },
	"set masked": func(dst, a, b *nd.Array) { dst.SetSlice(a.Index("0, 0"), a.Greater(b)) },
	"set rows":   func(dst, a, _ *nd.Array) { dst.SetSlice(a, nd.FromSlice([]bool{true, true, true, true})) },
	"add points": func(dst, a, _ *nd.Array) { dst.AddSlice(a.Index(1), "[0, 1, 0, 3], [0, 2, 0, 1]") },
	"add part":   func(dst, a, _ *nd.Array) { dst.AddSlice(a.Index("::-1"), nd.Rest) },
	"update": func(dst, a, _ *nd.Array) {
		dst.UpdateSlice(func(part *nd.Array) *nd.Array { return part.T().Add(a.T()) }, "::-1")
	},
}

// TestDestinationsThatOverlapOperandsGetWhatCopiesOfThemGive gives every form random views of one array, of which some are the same
// and many overlap.
func TestDestinationsThatOverlapOperandsGetWhatCopiesOfThemGive(t *testing.T) {
	random, rounds := rand.New(rand.NewPCG(11, 12)), 60
	if testing.Short() {
		rounds = 10
	}
	for name, into := range overlapping {
		for range rounds {
			base := nd.Arange(0, float32(40), 1).MulScalar(0.125)
			views := [3]func(base *nd.Array) *nd.Array{}
			story := name
			for i := range views {
				var told string
				if views[i], told = randomSquare(random); i > 0 && random.IntN(4) == 0 {
					views[i], told = views[0], "the same"
				}
				story += " " + told
			}
			want := base.Copy()
			into(views[0](want), views[1](base.Copy()), views[2](base.Copy()))
			into(views[0](base), views[1](base), views[2](base))
			require.Equal(t, values[float32](t, want), values[float32](t, base), story)
		}
	}
}

// randomSquare returns what makes a view, square, of an array of 40 elements.
func randomSquare(random *rand.Rand) (view func(base *nd.Array) *nd.Array, told string) {
	start, step, transposed, backwards := random.IntN(6), 1+random.IntN(2), random.IntN(2) == 0, random.IntN(2) == 0
	return func(base *nd.Array) *nd.Array {
		part := base.Index(nd.SpanBy(start, start+16*step, step)).Reshape(square, square)
		if transposed {
			part = part.T()
		}
		if backwards {
			part = part.Index(nd.Whole, nd.SpanBy(nd.Open, nd.Open, -1))
		}
		return part
	}, fmt.Sprint(start, step, transposed, backwards)
}

// What is copied first is read in the same step in which the result is written: else what others write between the two would be lost.
func TestCallsOfSeveralGoroutinesOnMemoryThatOverlapsLoseNothing(t *testing.T) {
	const count, goroutines, calls = 70_000, 4, 600
	x, one := nd.Zeros[float64](count), nd.Ones[float64](count)
	var all sync.WaitGroup
	for range goroutines {
		all.Go(func() {
			for range calls {
				nd.AddInto(x.Index("::-1"), x, one)
			}
		})
	}
	all.Wait()
	values, err := nd.Values[float64](x)
	require.NoError(t, err)
	require.Equal(t, slices.Repeat([]float64{goroutines * calls}, count), values)
}
