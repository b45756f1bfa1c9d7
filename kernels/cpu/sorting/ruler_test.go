package sorting

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/dtype"
)

func bitsOfAll[B Bits, T dtype.Real](numbers []T) []B {
	return unsafe.Slice((*B)(unsafe.Pointer(unsafe.SliceData(numbers))), len(numbers))
}

// checkRuler requires that a ruler, if the list has one, finds what halving finds, and returns whether it has one.
func checkRuler[B Bits, T dtype.Real](t *testing.T, d dtype.DType, list, values []T) bool {
	t.Helper()
	values = slices.Concat(values, list, values) // as many as there must be
	lines, wanted := bitsOfAll[B](list), bitsOfAll[B](values)
	ruler, exists := NewRuler(d, lines, make([]uint32, RulerMarks(len(lines), len(wanted))))
	if !exists {
		return false
	}
	order := OrderOf[B](d, false)
	for _, right := range []bool{false, true} {
		want, got := make([]int64, len(wanted)), make([]int64, len(wanted))
		order.Search(want, lines, wanted, right)
		ruler.Search(got, lines, wanted, right)
		for i := range want {
			require.Equal(t, want[i], got[i], "%v in %v, right %v", values[i], list, right)
		}
	}
	return true
}

func TestRulersFindWhatHalvingFinds(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 42))
	inf, nan, minus := math.Inf(1), math.NaN(), math.Copysign(0, -1)
	for range 400 {
		n := 8 + r.IntN(200)
		floats, singles, integers, shorts := make([]float64, n), make([]float32, n), make([]int64, n), make([]int32, n)
		step, base, distinct := r.NormFloat64(), 100*r.NormFloat64(), 1+r.IntN(2*n)
		for i := range n {
			at := float64(i)
			switch n % 4 {
			case 0: // random
				at = float64(n) * r.Float64()
			case 1: // with equal elements
				at = float64(r.IntN(distinct))
			case 2: // with zeros of both signs
				at = float64(i-n/2) * float64(i%2)
				step, base = -math.Abs(step), 0
			}
			floats[i], singles[i] = step*at+base, float32(step*at+base)
			integers[i], shorts[i] = int64(at)+math.MaxInt64-3*int64(n), int32(at)-7 // the former beyond what double precision tells apart
		}
		slices.Sort(floats)
		slices.Sort(singles)
		slices.Sort(integers)
		slices.Sort(shorts)
		values := []float64{inf, -inf, nan, -nan, minus, 0, base, base + step*float64(n), math.MaxFloat64, 5e-324}
		for range 3 * n {
			values = append(values, base+step*float64(n)*(1.2*r.Float64()-.1))
		}
		narrow, whole, short := make([]float32, len(values)), []int64{math.MinInt64, math.MaxInt64, 0}, []int32{math.MinInt32, math.MaxInt32, 0}
		for i, v := range values {
			narrow[i] = float32(v)
			whole, short = append(whole, math.MaxInt64-int64(r.IntN(4*n))), append(short, int32(r.IntN(2*n)-n/2))
		}
		checkRuler[int64](t, dtype.Float64, floats, values)
		checkRuler[int32](t, dtype.Float32, singles, narrow)
		checkRuler[int64](t, dtype.Int64, integers, whole)
		checkRuler[int32](t, dtype.Int32, shorts, short)
	}
}

func TestEvenListsHaveRulers(t *testing.T) {
	even := make([]float64, 100)
	for i := range even {
		even[i] = 0.1 * float64(i)
	}
	with := func(i int, v float64) []float64 {
		list := slices.Clone(even)
		list[i] = v
		return list
	}
	for name, c := range map[string]struct {
		list []float64
		want bool
	}{
		"even":       {even, true},
		"short":      {even[:4], false},
		"far away":   {with(99, 1e9), false},
		"infinite":   {with(99, math.Inf(1)), false},
		"NaN":        {with(99, math.NaN()), false},
		"huge":       {with(99, math.MaxFloat64), false},
		"descending": {with(50, 100), false},
		"constant":   {make([]float64, 100), false},
	} {
		memory := make([]uint32, max(RulerMarks(len(c.list), 1000), 3))
		exists := RulerMarks(len(c.list), 1000) > 0
		if exists {
			_, exists = NewRuler(dtype.Float64, bitsOfAll[int64](c.list), memory)
		}
		require.Equal(t, c.want, exists, name)
	}
	require.Zero(t, RulerMarks(100, 99), "few values")
}
