package sorting

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/kernels/cpu/internal/features"
	"github.com/weft-nd/weft/parallel"
)

func random() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

// patterns are the lists that defeat one method of sorting or another.
var patterns = map[string]func(i, n int, r *rand.Rand) int64{
	"random":     func(_, _ int, r *rand.Rand) int64 { return int64(r.Uint64()) },
	"sorted":     func(i, _ int, _ *rand.Rand) int64 { return int64(i) },
	"backward":   func(i, _ int, _ *rand.Rand) int64 { return int64(-i) },
	"equal":      func(int, int, *rand.Rand) int64 { return 7 },
	"lowest":     func(int, int, *rand.Rand) int64 { return math.MinInt64 },
	"highest":    func(int, int, *rand.Rand) int64 { return math.MaxInt64 },
	"two":        func(_, _ int, r *rand.Rand) int64 { return int64(r.IntN(2)) },
	"few":        func(_, _ int, r *rand.Rand) int64 { return int64(r.IntN(10)) << 59 },
	"extremes":   func(_, _ int, r *rand.Rand) int64 { return []int64{math.MinInt64, math.MaxInt64, 0, -1}[r.IntN(4)] },
	"organ pipe": func(i, n int, _ *rand.Rand) int64 { return int64(min(i, n-i)) },
	"sawtooth":   func(i, _ int, _ *rand.Rand) int64 { return int64(i % 100) },
	"one odd":    func(i, n int, _ *rand.Rand) int64 { return int64(i / (n - 1)) },
	"mostly equal": func(_, _ int, r *rand.Rand) int64 {
		return max(0, int64(r.IntN(1000))-900)
	},
	"halves": func(i, n int, _ *rand.Rand) int64 { return int64(i % (n/2 + 1)) },
}

func of[K Key](pattern func(i, n int, r *rand.Rand) int64, n int) []K {
	keys, r := make([]K, n), random()
	for i := range keys {
		v := pattern(i, n, r)
		if !isWide[K]() && int64(int32(v)) != v {
			v >>= 32
		}
		keys[i] = K(v)
	}
	return keys
}

func eachWidth(t *testing.T, narrow, wide func(t *testing.T)) {
	t.Run("32", narrow)
	t.Run("64", wide)
}

func TestKeysAreSortedWhateverTheirOrder(t *testing.T) {
	eachWidth(t, sortsPatterns[int32], sortsPatterns[int64])
}

func sortsPatterns[K Key](t *testing.T) {
	for name, pattern := range patterns {
		for _, n := range []int{257, 1000, 2047, 2048, 5000, 70_001} {
			if n > sharedKeys && testing.Short() && name != "random" {
				continue
			}
			keys := of[K](pattern, n)
			want := slices.Sorted(slices.Values(keys))
			features.Each(func(level features.Level) {
				for _, pool := range pools {
					got := slices.Clone(keys)
					Sort(pool.Thread(), got, make([]K, n))
					require.True(t, slices.Equal(want, got), "%s %d %v", name, n, level)
				}
			})
		}
	}
}

// Every size around those of the networks, anywhere in memory; nothing else is written.
func TestShortListsAreSortedInTheirPlaceAlone(t *testing.T) {
	eachWidth(t, sortsShort[int32], sortsShort[int64])
}

func sortsShort[K Key](t *testing.T) {
	const margin, canary = 33, 77
	thread := parallel.Serial()
	r := random()
	for n := range 2*shortest[K]() + 50 {
		features.Each(func(level features.Level) {
			shift := r.IntN(16)
			memory, other := slices.Repeat([]K{canary}, margin+shift+n+margin), slices.Repeat([]K{canary}, n+2*margin)
			keys := memory[margin+shift:][:n]
			limit := []uint64{3, 100, math.MaxUint64}[r.IntN(3)]
			for i := range keys {
				keys[i] = K(r.Uint64N(limit)) - K(limit/2)
			}
			want := slices.Clone(memory)
			slices.Sort(want[margin+shift:][:n])
			Sort(thread, keys, other[margin:][:n])
			require.True(t, slices.Equal(want, memory), "%d keys, %v", n, level)
			require.Equal(t, slices.Repeat([]K{canary}, margin), other[:margin])
			require.Equal(t, slices.Repeat([]K{canary}, margin), other[margin+n:])
		})
	}
}

// A network that sorts all lists of zeros and ones sorts all lists (Knuth, "The Art of Computer Programming" 3, 5.3.4); after
// the lanes are sorted, what is left of each is how many ones it has.
func TestNetworksSortZerosAndOnes(t *testing.T) {
	features.Each(func(level features.Level) {
		if level > features.Portable { // There are no networks.
			t.Run(level.String(), func(t *testing.T) { eachWidth(t, sortsBits[int32], sortsBits[int64]) })
		}
	})
}

func sortsBits[K Key](t *testing.T) {
	r := random()
	for n := 1; n <= shortest[K](); n++ {
		for range 20 {
			keys, ones := make([]K, n), r.IntN(n+1)
			for i := range ones {
				keys[i] = 1
			}
			r.Shuffle(n, func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
			short(keys, keys)
			want := append(make([]K, n-ones), slices.Repeat([]K{1}, ones)...)
			require.True(t, slices.Equal(want, keys), "%d of %d", ones, n)
		}
	}
	step := 1
	if testing.Short() {
		step = 13
	}
	for pattern := 0; pattern < 1<<16; pattern += step { // what a column of the largest network can hold
		keys := make([]K, shortest[K]())
		for i := range keys {
			keys[i] = K(pattern >> (i / (len(keys) / 16)) & 1)
		}
		short(keys, keys)
		require.True(t, slices.IsSorted(keys), "%016b", pattern)
	}
}

// killer is a list whose every pivot is as bad as can be, made by playing the part of the keys (McIlroy, "A killer adversary
// for quicksort", Software: Practice and Experience 29(4), 1999): the keys that pivots are chosen of are the smallest that
// are left. It returns how many pivots are.
func killer[K Key](n int) (keys []K, pivots int) {
	keys = make([]K, n)
	l := list[K]{make([]K, n), make([]K, n)} // of n and where the key comes from, until it is chosen
	for i := range l.keys {
		l.keys[i] = K(n + i)
	}
	next := K(0)
	for ; len(l.keys) > shortest[K](); pivots++ {
		count, at, step := sampled[K](len(l.keys))
		for place := range count/2 + 1 {
			chosen := &l.keys[at+place*step]
			keys[*chosen-K(n)], *chosen = next, next
			next++
		}
		_, l = l.divide(pivot(l.keys))
	}
	for _, key := range l.keys {
		keys[key-K(n)] = next
		next++
	}
	return keys, pivots
}

func TestKillersOfPivotsTakeNoLongerThanTheBytes(t *testing.T) {
	keys, pivots := killer[int32](20_000)
	require.Greater(t, pivots, 100, "the list does not kill")
	want := slices.Sorted(slices.Values(keys))
	Sort(parallel.Serial(), keys, make([]int32, len(keys)))
	require.True(t, slices.Equal(want, keys))
}

func BenchmarkSort(b *testing.B) {
	for _, n := range []int{1000, 10_000, 1_000_000} {
		for _, threads := range []int{1, 2} {
			b.Run(fmt.Sprintf("32/%d/%d", n, threads), func(b *testing.B) { sorts[int32](b, n, threads) })
			b.Run(fmt.Sprintf("64/%d/%d", n, threads), func(b *testing.B) { sorts[int64](b, n, threads) })
		}
	}
}

func sorts[K Key](b *testing.B, n, threads int) {
	from, keys, scratch := of[K](patterns["random"], n), make([]K, n), make([]K, n)
	thread := parallel.New(threads).Thread()
	for b.Loop() {
		copy(keys, from)
		Sort(thread, keys, scratch)
	}
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds()/1e6, "M/s")
}
