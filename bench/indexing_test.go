package bench

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	nd "github.com/weft-nd/weft/ndarray"
)

// indexSide is the length of the sides of the matrices of BenchmarkIndexing.
const indexSide = 2048

// indexed is what the cases of BenchmarkIndexing work on.
type indexed struct {
	x, y, flat, mask *nd.Array // float32 matrices, one of them flat, and a mask that is true in half of its places
	points           *nd.Array // a quarter as many random indices of flat as it has elements
	rows, columns    *nd.Array // a sixteenth as many of x
	values           *nd.Array // for each of rows
}

// indexings are the cases of BenchmarkIndexing; each returns what is written. Bytes are those read and written if nothing else is.
var indexings = []struct {
	name  string
	bytes int64
	run   func(b *testing.B, s indexed) *nd.Array
}{
	{"copy", 8 * indexSide * indexSide, func(_ *testing.B, s indexed) *nd.Array { return s.set(s.y) }},
	{"set_part", 8 * (indexSide - 16) * (indexSide - 32), func(_ *testing.B, s indexed) *nd.Array {
		return s.set(s.y.Index(nd.Span(16, nd.Open), nd.Span(32, nd.Open)), nd.Span(0, -16), nd.Span(0, -32))
	}},
	{"set_rows", 4 * indexSide * indexSide, func(_ *testing.B, s indexed) *nd.Array {
		return s.set(s.y.Index(nd.SpanBy(1, nd.Open, 2)), nd.SpanBy(0, nd.Open, 2))
	}},
	{"set_columns", 4 * indexSide * indexSide, func(_ *testing.B, s indexed) *nd.Array {
		return s.set(s.y.Index(nd.Whole, nd.Span(0, indexSide/2)), nd.Whole, nd.SpanBy(0, nd.Open, 2))
	}},
	{"mask_select", 0, func(b *testing.B, s indexed) *nd.Array {
		selected, err := nd.MaskSelect(context.Background(), s.x, s.mask)
		require.NoError(b, err)
		return selected
	}},
	{"mask_set", 0, func(_ *testing.B, s indexed) *nd.Array { return s.set(nd.Weak(1.0), s.mask) }},
	{"take", 0, func(_ *testing.B, s indexed) *nd.Array { return s.flat.Index(s.points) }},
	{"points", 0, func(_ *testing.B, s indexed) *nd.Array { return s.x.Index(s.rows, s.columns) }},
	{"points_set", 0, func(_ *testing.B, s indexed) *nd.Array { return s.set(s.values, s.rows, s.columns) }},
	{"part", 0, func(_ *testing.B, s indexed) *nd.Array {
		return s.x.Index(nd.Span(1, 5), nd.SpanBy(nd.Open, nd.Open, 2))
	}},
	{"part_text", 0, func(_ *testing.B, s indexed) *nd.Array { return s.x.Index("1:5, ::2") }},
}

// set writes value to the part of s.x that index selects.
func (s indexed) set(value *nd.Array, index ...any) *nd.Array {
	s.x.SetSlice(value, index...)
	return s.x
}

func newIndexed() indexed {
	r := rand.New(rand.NewPCG(1, 2))
	random := func(count int) *nd.Array {
		indices := make([]int64, count)
		for i := range indices {
			indices[i] = r.Int64N(indexSide)
		}
		return nd.FromSlice(indices)
	}
	const count = indexSide * indexSide
	mask := make([]bool, count)
	for i := range mask {
		mask[i] = r.IntN(2) == 1
	}
	rows, columns := random(count/16), random(count/16)
	return indexed{
		x: nd.Ones[float32](indexSide, indexSide), y: nd.Ones[float32](indexSide, indexSide), flat: nd.Ones[float32](count),
		mask: nd.FromSlice(mask, indexSide, indexSide), points: random(count / 4).MulScalar(indexSide).Add(random(count / 4)),
		rows: rows, columns: columns, values: nd.Ones[float32](count / 16),
	}
}

// BenchmarkIndexing measures reading and writing parts of float32 matrices of 2048 rows and columns, as BenchmarkIndexing/<case>: copy
// writes all, set_part, set_rows and set_columns write a block, every other row, every other column; mask_select and mask_set read
// and write half of the elements, in random places; take, points and points_set read and write by random indices; part makes a view.
func BenchmarkIndexing(b *testing.B) {
	s := newIndexed()
	for _, c := range indexings {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(c.bytes)
			require.NoError(b, c.run(b, s).Wait(context.Background()))
			for b.Loop() {
				if err := c.run(b, s).Wait(context.Background()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("at", func(b *testing.B) {
		b.ReportAllocs()
		sum := float32(0)
		for i := 0; b.Loop(); i++ {
			v, err := nd.At[float32](s.x, i%indexSide, 5)
			if err != nil {
				b.Fatal(err)
			}
			sum += v
		}
	})
}

// BenchmarkIndexingPeers measures NumPy on the cases of BenchmarkIndexing, as BenchmarkIndexingPeers/<case>/numpy.
func BenchmarkIndexingPeers(b *testing.B) {
	for _, c := range indexings {
		b.Run(c.name+"/numpy", func(b *testing.B) { numpy.measure(b, "indexing", c.name) })
	}
	b.Run("at/numpy", func(b *testing.B) { numpy.measure(b, "indexing", "at") })
}
