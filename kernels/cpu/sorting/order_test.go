package sorting

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/internal/features"
)

// value returns the number that the bits stand for.
func value[B Bits](d dtype.DType, x B) float64 {
	switch d {
	case dtype.Float16:
		return float64(dtype.F16(x).Float32())
	case dtype.BFloat16:
		return float64(dtype.BF16(x).Float32())
	case dtype.Float32:
		return float64(math.Float32frombits(uint32(x)))
	case dtype.Float64:
		return math.Float64frombits(uint64(x))
	case dtype.Bool, dtype.Uint8, dtype.Uint16, dtype.Uint32:
		return float64(uint64(x) & (1<<bitsOf[B]() - 1))
	case dtype.Uint64:
		return float64(uint64(x)>>1) * 2 // good enough for what the tests compare
	}
	return float64(x)
}

func TestKeysOrderElementsAsTheirValuesDo(t *testing.T) {
	for _, d := range []dtype.DType{dtype.Int8, dtype.Uint8, dtype.Bool} {
		ordersAll[int8](t, d)
	}
	for _, d := range []dtype.DType{dtype.Int16, dtype.Uint16, dtype.Float16, dtype.BFloat16} {
		ordersAll[int16](t, d)
	}
	for _, d := range []dtype.DType{dtype.Int32, dtype.Uint32, dtype.Float32} {
		ordersSome[int32](t, d, 23)
	}
	for _, d := range []dtype.DType{dtype.Int64, dtype.Uint64, dtype.Float64} {
		ordersSome[int64](t, d, 52)
	}
}

// ordersAll tries all elements of a type.
func ordersAll[B Bits](t *testing.T, d dtype.DType) {
	all := []B{}
	for i := range 1 << bitsOf[B]() {
		all = append(all, B(i))
	}
	orders(t, d, all)
}

// ordersSome tries numbers of all sizes, with all neighbours of the special ones.
func ordersSome[B Bits](t *testing.T, d dtype.DType, significand int) {
	some := map[B]bool{}
	r := random()
	for high := range 1 << 12 {
		for low := -2; low <= 2; low++ {
			some[B(uint64(high)<<(bitsOf[B]()-12))+B(low)] = true
		}
	}
	for exponent := range bitsOf[B]() {
		some[B(1)<<exponent] = true
		some[B(r.Uint64())>>exponent] = true
	}
	some[B(1)<<significand] = true
	list := []B{}
	for x := range some {
		list = append(list, x)
	}
	orders(t, d, list)
}

func orders[B Bits](t *testing.T, d dtype.DType, elements []B) {
	up, down := OrderOf[B](d, false), OrderOf[B](d, true)
	slices.SortFunc(elements, func(a, b B) int { return cmp.Compare(up.Key(a), up.Key(b)) })
	for i, x := range elements {
		v := value(d, x)
		ok := up.Element(up.Key(x)) == x && down.Element(down.Key(x)) == x && down.Key(x) == ^up.Key(x) && down.Rank(x) == ^up.Rank(x)
		ok = ok && up.IsNaN(up.Key(x)) == (v != v) && down.IsNaN(down.Rank(x)) == (v != v)
		if i > 0 {
			before := elements[i-1]
			u, tie := value(d, before), up.Rank(before) == up.Rank(x)
			ok = ok && up.Key(before) < up.Key(x) && up.Rank(before) <= up.Rank(x)
			switch {
			case !d.IsFloat():
				ok = ok && u <= v && !tie
			case v != v:
				ok = ok && tie == (u != u)
			default:
				ok = ok && u <= v && tie == (u == v)
			}
		}
		if !ok {
			require.Failf(t, "wrong order", "%v: element %d, %x, is %v", d, i, x, v)
		}
	}
	features.Each(func(level features.Level) {
		keys, back := make([]B, len(elements)), make([]B, len(elements))
		down.Encode(keys, elements)
		down.Decode(back, keys)
		require.True(t, slices.Equal(elements, back), "%v %v", d, level)
		for i, x := range elements {
			if keys[i] != down.Key(x) {
				require.Failf(t, "wrong key", "%v: element %x at level %v", d, x, level)
			}
		}
	})
}

func TestMapsWriteTheirPlaceAlone(t *testing.T) {
	order := OrderOf[int32](dtype.Float32, true)
	for n := range 100 {
		features.Each(func(features.Level) {
			memory := slices.Repeat([]int32{5}, n+40)
			elements := memory[20:][:n]
			order.Encode(elements, elements)
			want := slices.Repeat([]int32{5}, n+40)
			for i := range n {
				want[20+i] = order.Key(5)
			}
			require.Equal(t, want, memory)
		})
	}
}
