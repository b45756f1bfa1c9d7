package gemm

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/kernels/cpu/internal/features"
)

func checkRows[T Float](t *testing.T, r *rand.Rand) {
	for _, n := range []int{4, 7, 8, 16, 21, 45, 48, 160, 301, 1100} {
		for _, k := range []int{3, 32, 33, 47, 100, 600, 1025, 1300} {
			if thin() && n*k > 2000 || n*k > 100_000 && n*k != 1100*600 {
				continue
			}
			for _, how := range []layout{turned, turnedWide, dense, page} {
				newTrial(r, 1, n, k, factor[T](r), factor[T](r), [3]layout{anyLayouts(r)[0], how, dense}).checkEverywhere(t)
			}
			newTrial(r, n, 1, k, factor[T](r), factor[T](r), [3]layout{[]layout{dense, wide, backwards, turned, turnedWide}[r.IntN(5)], anyLayouts(r)[1], dense}).checkEverywhere(t)
		}
	}
}

// Rows of B are read by strips or whole, columns in lines, and others one element after the other.
func TestSingleRowsAndColumnsEqualTheDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 32))
	checkRows[float32](t, r)
	checkRows[float64](t, r)
}

// sumsOfRow are the elements of a single row as the documentation of the package has them.
func sumsOfRow[T Float](x *trial[T]) (sums []T) {
	for column := range x.N {
		total := T(0)
		for block := range Blocks(x.K) {
			var s [8]T
			first := BlockEnd(x.K, block-1)
			for k := first; k < BlockEnd(x.K, block); k++ {
				s[(k-first)%8] += T(*x.a.at(0, k) * *x.b.at(k, column))
			}
			total += ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]))
		}
		sums = append(sums, total)
	}
	return sums
}

func checkOrder[T Float](t *testing.T, r *rand.Rand) {
	for _, size := range [][2]int{{5, 7}, {37, 100}, {300, 513}, {1030, 300}, {130, 1200}, {9, 5000}} {
		n, k := size[0], size[1]
		first := newTrial[T](r, 1, n, k, 1, 0, [3]layout{})
		want := sumsOfRow(first)
		for b := range layouts {
			if thin() && n*k > 10_000 && b != turned {
				continue
			}
			x := newTrial[T](r, 1, n, k, 1, 0, [3]layout{[]layout{dense, scattered}[r.IntN(2)], b, []layout{dense, turnedWide}[r.IntN(2)]})
			y := newTrial[T](r, n, 1, k, 1, 0, [3]layout{b, scattered, []layout{dense, wide}[r.IntN(2)]})
			for i := range k {
				*x.a.at(0, i), *y.b.at(i, 0) = *first.a.at(0, i), *first.a.at(0, i)
				for column := range n {
					*x.b.at(i, column), *y.a.at(column, i) = *first.b.at(i, column), *first.b.at(i, column)
				}
			}
			features.Each(func(level features.Level) {
				require.True(t, sameBits(want, x.run(t, pools[2].Thread())), "%v: %v", level, x)
				require.True(t, sameBits(want, y.run(t, pools[2].Thread())), "%v: %v", level, y)
			})
		}
	}
}

func TestSingleRowsAndColumnsAreEightChainsForAnyStrides(t *testing.T) {
	r := rand.New(rand.NewPCG(37, 38))
	defer func(known bool) { readsFewRows = known }(readsFewRows)
	for _, readsFewRows = range []bool{false, true} {
		checkOrder[float32](t, r)
		checkOrder[float64](t, r)
	}
}
