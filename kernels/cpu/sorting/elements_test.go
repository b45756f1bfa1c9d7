package sorting

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/internal/features"
	"github.com/weft-nd/weft/parallel"
)

var pools = []*parallel.Pool{parallel.New(1), parallel.New(2), parallel.New(8)}

// lists are elements with ties, both zeros and several NaN, and such whose differences are in few of their bits.
func lists[B Bits](d dtype.DType, n int, r *rand.Rand) map[string][]B {
	all := map[string][]B{}
	fill := func(name string, element func(i int) B) {
		list := make([]B, n)
		for i := range list {
			list[i] = element(i)
		}
		all[name] = list
	}
	fill("any bits", func(int) B { return B(r.Uint64()) })
	fill("few", func(int) B { return B(r.IntN(5) - 2) })
	fill("equal", func(int) B { return 3 })
	fill("ascending", func(i int) B { return B(i) })
	fill("descending", func(i int) B { return B(n - i) })
	lowest := B(-1) << (bitsOf[B]() - 1)
	fill("low bits and one high", func(i int) B {
		if i == n/3 {
			return ^lowest
		}
		return B(r.Uint64() & 0xFFF)
	})
	tooLong := B(1) << max(0, bitsOf[B]()-bits.Len(uint(n-1))) // by one bit for a word that has the number of an element too
	fill("few bits and one too long", func(i int) B {
		if i == n/3 {
			return tooLong
		}
		return B(r.IntN(4))
	})
	fill("runs", func(i int) B { return B(i/1000)<<(bitsOf[B]()-6) | B(r.IntN(100)) })
	if d.IsFloat() {
		nan := ^lowest
		special := []B{0, lowest, nan, -1, nan - 1, B(1) << significandBits(d), lowest + 1, 1}
		fill("special", func(int) B { return special[r.IntN(len(special))] })
		fill("NaN", func(int) B { return -1 - B(r.IntN(2)) })
	}
	return all
}

var lengths = []int{1, 2, 3, 17, 100, 200, 256, 257, 1025, 4097, 9000, 40_000}

// eachList runs body for lists of every type in both orders: of the long ones for those of any bits, and for others by lot.
func eachList(t *testing.T, narrow func(*testing.T, Order[int8], []int8), pairs func(*testing.T, Order[int16], []int16),
	words func(*testing.T, Order[int32], []int32), wide func(*testing.T, Order[int64], []int64)) {
	for _, d := range dtype.All() {
		switch {
		case d.Kind() == dtype.KindComplex:
		case d.Size() == 1:
			eachListOf(t, d, narrow)
		case d.Size() == 2:
			eachListOf(t, d, pairs)
		case d.Size() == 4:
			eachListOf(t, d, words)
		default:
			eachListOf(t, d, wide)
		}
	}
}

func eachListOf[B Bits](t *testing.T, d dtype.DType, body func(*testing.T, Order[B], []B)) {
	t.Run(d.String(), func(t *testing.T) {
		r := random()
		for _, n := range lengths {
			all := lists[B](d, n, r)
			for _, name := range slices.Sorted(maps.Keys(all)) {
				if n > 300 && name != "any bits" && r.IntN(1+n/1000) > 0 || n > 1100 && testing.Short() {
					continue
				}
				list := all[name]
				order := OrderOf[B](d, r.IntN(2) == 1)
				t.Run(fmt.Sprint(name, " ", n), func(t *testing.T) { body(t, order, list) })
			}
		}
	})
}

func TestElementsAreSortedAtEveryLevelByAnyNumberOfThreads(t *testing.T) {
	eachList(t, sortsElements[int8], sortsElements[int16], sortsElements[int32], sortsElements[int64])
}

func sortsElements[B Bits](t *testing.T, o Order[B], list []B) {
	want := slices.Clone(list)
	slices.SortFunc(want, func(a, b B) int { return cmp.Compare(o.Key(a), o.Key(b)) })
	features.Each(func(level features.Level) {
		for _, pool := range pools {
			got := make([]B, len(list))
			o.Sort(pool.Thread(), got, list, make([]B, len(list)))
			require.True(t, slices.Equal(want, got), "%v", level)
		}
	})
	got := slices.Clone(list)
	o.Sort(parallel.Serial(), got, got, make([]B, len(list)))
	require.True(t, slices.Equal(want, got), "in place")
}

// stable returns the numbers of the elements in their order, as a method that is known to be stable has them.
func stable[B Bits](o Order[B], list []B) []int64 {
	numbers := make([]int64, len(list))
	for i := range numbers {
		numbers[i] = int64(i)
	}
	slices.SortStableFunc(numbers, func(i, j int64) int { return cmp.Compare(o.Rank(list[i]), o.Rank(list[j])) })
	return numbers
}

func TestNumbersAreSortedStably(t *testing.T) {
	eachList(t, argsorts[int8], argsorts[int16], argsorts[int32], argsorts[int64])
}

func argsorts[B Bits](t *testing.T, o Order[B], list []B) {
	want := stable(o, list)
	for _, pool := range pools {
		got := make([]int64, len(list))
		o.Argsort(pool.Thread(), got, list, make([]int64, len(list)))
		require.True(t, slices.Equal(want, got))
	}
	if len(list) <= 1000 {
		got := make([]int64, len(list))
		o.compareAll(got, list)
		require.True(t, slices.Equal(want, got), "by comparisons")
	}
}

func TestTheFirstAreThoseOfAllSorted(t *testing.T) {
	eachList(t, findsFirst[int8], findsFirst[int16], findsFirst[int32], findsFirst[int64])
}

func findsFirst[B Bits](t *testing.T, o Order[B], list []B) {
	want := stable(o, list)
	for _, k := range []int{0, 1, 2, 7, 100, len(list) / 3, len(list)} {
		if k > len(list) {
			continue
		}
		for _, pool := range pools {
			got := make([]int64, k)
			o.First(pool.Thread(), got, list, make([]int64, FirstScratch(k, len(list))))
			require.True(t, slices.Equal(want[:k], got), "%d of %d", k, len(list))
		}
	}
}

func TestSearchCountsWhatIsBefore(t *testing.T) {
	eachList(t, searches[int8], searches[int16], searches[int32], searches[int64])
}

func searches[B Bits](t *testing.T, o Order[B], list []B) {
	if len(list) > 110 {
		return
	}
	sorted := slices.Clone(list)
	o.Sort(parallel.Serial(), sorted, sorted, make([]B, len(list)))
	values := append(list[:len(list):len(list)], 0, -1, math.MaxInt8, B(-1)<<(bitsOf[B]()-1))
	for _, right := range []bool{false, true} {
		for _, n := range []int{0, len(list) / 2, len(list)} {
			got := make([]int64, len(values))
			o.Search(got, sorted[:n], values, right)
			want := make([]int64, len(values))
			for i, v := range values {
				for _, x := range sorted[:n] {
					if o.Rank(x) < o.Rank(v) || right && o.Rank(x) == o.Rank(v) {
						want[i]++
					}
				}
			}
			require.Equal(t, want, got)
		}
	}
}

func TestWordsAreScatteredToTheirPlaces(t *testing.T) {
	for _, n := range []int{1, 1000, 1 << windowBits, 1<<windowBits + 1, 300_000} {
		words, want := make([]int64, n), make([]int64, n)
		for i, place := range random().Perm(n) {
			words[i], want[place] = int64(place)|int64(i)<<32, int64(i)
		}
		for _, p := range pools {
			got := make([]int64, n)
			scatter(p.Thread(), got, words, make([]int64, n))
			require.True(t, slices.Equal(want, got), "%d words", n)
		}
	}
}

func TestDifferentElementsAreFoundAtEveryLevelByAnyNumberOfThreads(t *testing.T) {
	eachList(t, findsDifferent[int8], findsDifferent[int16], findsDifferent[int32], findsDifferent[int64])
}

// TestFewDifferentElementsAreFound has lists of zeros of both signs, NaN of several payloads, and little else.
func TestFewDifferentElementsAreFound(t *testing.T) {
	for _, d := range dtype.All() {
		switch {
		case d.Kind() == dtype.KindComplex:
		case d.Size() == 1:
			findsFew[int8](t, d)
		case d.Size() == 2:
			findsFew[int16](t, d)
		case d.Size() == 4:
			findsFew[int32](t, d)
		default:
			findsFew[int64](t, d)
		}
	}
}

func findsFew[B Bits](t *testing.T, d dtype.DType) {
	t.Run(d.String(), func(t *testing.T) {
		r, lowest := random(), B(-1)<<(bitsOf[B]()-1)
		values := []B{0, lowest, -1, -2, ^lowest, 1, lowest + 1}
		for _, n := range []int{0, 1, 2, 7, 100, 300, 9000, 20_000} {
			list := make([]B, n)
			for of := 1; of <= len(values); of++ {
				if n > 300 && testing.Short() && of != 3 {
					continue
				}
				for i := range list {
					list[i] = values[r.IntN(of)]
				}
				findsDifferent(t, OrderOf[B](d, false), list)
			}
		}
	})
}

func findsDifferent[B Bits](t *testing.T, o Order[B], list []B) {
	n := len(list)
	newDifferent := func() Different[B] {
		return Different[B]{make([]B, n), make([]int64, n), make([]int64, n), make([]int64, n)}
	}
	want, different, before := newDifferent(), 0, B(0)
	for i, number := range stable(o, list) {
		rank := o.Rank(list[number])
		if i == 0 || rank != before || o.IsNaN(rank) {
			want.Elements[different], want.Firsts[different] = list[number], number
			different++
		}
		want.Counts[different-1]++
		want.Places[number] = int64(different - 1)
		before = rank
	}
	for _, p := range pools {
		got := newDifferent()
		require.Equal(t, different, o.Different(p.Thread(), got, list, make([]int64, 3*n)))
		requireSame(t, want, got)
	}
	if isAscending := o.Key(1) > o.Key(0); isAscending {
		features.Each(func(level features.Level) {
			for _, p := range pools {
				elements, counts := make([]B, n), make([]int64, n)
				require.Equal(t, different, o.DifferentCounts(p.Thread(), elements, counts, list, make([]B, n)), "%v", level)
				require.True(t, slices.Equal(want.Elements[:different], elements[:different]))
				require.True(t, slices.Equal(want.Counts[:different], counts[:different]))
			}
		})
	}
	if n <= 1000 {
		got := newDifferent()
		require.Equal(t, different, o.differentByComparisons(got, list, make([]int64, n)))
		requireSame(t, want, got)
	}
}

func requireSame[B Bits](t *testing.T, want, got Different[B]) {
	require.True(t, slices.Equal(want.Elements, got.Elements))
	require.True(t, slices.Equal(want.Firsts, got.Firsts))
	require.True(t, slices.Equal(want.Counts, got.Counts))
	require.True(t, slices.Equal(want.Places, got.Places))
}

func TestListsThatAscendAreToldFromThoseThatDoNotAnywhere(t *testing.T) {
	requireDescentsFound[int32](t)
	requireDescentsFound[int64](t)
}

func requireDescentsFound[K Key](t *testing.T) {
	r, lowest := rand.New(rand.NewPCG(1, 2)), K(-1)<<(8*unsafe.Sizeof(K(0))-1)
	features.Each(func(level features.Level) {
		for n := range 300 {
			keys := make([]K, n)
			for i := range keys { // from one end of the numbers to the other, with ties
				keys[i] = lowest + K(uint64(^lowest)/uint64(n)*2*uint64(i/2*2))
			}
			require.True(t, slices.IsSorted(keys))
			require.True(t, isSorted(keys), "%v: %d keys", level, n)
			for i := 1; i < n; i++ {
				before := keys[i-1]
				if keys[i-1] = keys[i] + 1; keys[i-1] < keys[i] || r.IntN(3) > 0 && i%16 > 1 {
					keys[i-1] = before
					continue
				}
				require.False(t, isSorted(keys), "%v: %d keys, number %d", level, n, i)
				keys[i-1] = before
			}
		}
	})
}

func TestSearchTakesEqualElementsInAnyOrder(t *testing.T) {
	inf, nan, zero := math.Inf(1), math.NaN(), math.Copysign(0, -1)
	list := []float64{-inf, -2, 0, zero, 0, zero, 3, inf, nan, math.Float64frombits(1<<63 | math.Float64bits(nan)), nan}
	for v, places := range map[float64][2]int64{-inf: {0, 1}, -2: {1, 2}, 0: {2, 6}, 1: {6, 6}, 3: {6, 7}, inf: {7, 8}, nan: {8, 11}} {
		for _, x := range []float64{v, math.Copysign(v, -1)} {
			if x != v && v != 0 && v == v {
				continue
			}
			for i, right := range []bool{false, true} {
				for _, descending := range []bool{false, true} {
					o, elements := OrderOf[int64](dtype.Float64, descending), make([]int64, len(list))
					for k, x := range list {
						elements[k] = int64(math.Float64bits(x))
					}
					want := places[i]
					if descending {
						slices.Reverse(elements)
						want = int64(len(list)) - places[1-i]
					}
					got := []int64{0}
					o.Search(got, elements, []int64{int64(math.Float64bits(x))}, right)
					require.Equal(t, want, got[0], "%v, right %v, descending %v", x, right, descending)
				}
			}
		}
	}
}
