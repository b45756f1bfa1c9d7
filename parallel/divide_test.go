package parallel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// write tells blocks as Numba's tests do, with both bounds included, after the indices were moved to begin at start.
func write(blocks []Block, start ...int) string {
	var text strings.Builder
	for _, block := range blocks {
		var axes []string
		for axis, lo := range block.Lo {
			axes = append(axes, fmt.Sprintf("%d:%d", start[axis]+lo, start[axis]+block.Hi[axis]-1))
		}
		text.WriteString("{" + strings.Join(axes, ",") + "}")
	}
	return text.String()
}

// The divisions are those of Numba's gufunc scheduler, where it makes no empty chunks.
func TestDivisionsAreThoseOfNumba(t *testing.T) {
	for _, c := range []struct {
		start, shape []int
		count        int
		want         string
	}{
		{[]int{0}, []int{14}, 2, "{0:6}{7:13}"},
		{[]int{0}, []int{10}, 4, "{0:2}{3:5}{6:7}{8:9}"},
		{[]int{5}, []int{16}, 4, "{5:8}{9:12}{13:16}{17:20}"},
		{[]int{-3}, []int{10}, 3, "{-3:0}{1:3}{4:6}"},
		{[]int{0}, []int{100}, 8, "{0:12}{13:25}{26:38}{39:51}{52:63}{64:75}{76:87}{88:99}"},
		{[]int{0}, []int{7}, 3, "{0:2}{3:4}{5:6}"},
		{[]int{0, 0}, []int{10, 10}, 4, "{0:4,0:4}{0:4,5:9}{5:9,0:4}{5:9,5:9}"},
		{[]int{0, 0}, []int{100, 10}, 4, "{0:24,0:9}{25:49,0:9}{50:74,0:9}{75:99,0:9}"},
		{[]int{0, 0}, []int{10, 100}, 4, "{0:9,0:24}{0:9,25:49}{0:9,50:74}{0:9,75:99}"},
		{[]int{0, 0}, []int{1, 100}, 4, "{0:0,0:24}{0:0,25:49}{0:0,50:74}{0:0,75:99}"},
		{[]int{0, 0}, []int{7, 5}, 5, "{0:0,0:4}{1:3,0:1}{1:3,2:4}{4:6,0:1}{4:6,2:4}"},
		{[]int{0, 0}, []int{7, 5}, 6, "{0:0,0:4}{1:1,0:4}{2:3,0:1}{2:3,2:4}{4:6,0:1}{4:6,2:4}"},
		{[]int{0, 0}, []int{5, 5}, 4, "{0:1,0:1}{0:1,2:4}{2:4,0:1}{2:4,2:4}"},
		{[]int{0, 0}, []int{100, 100}, 2, "{0:99,0:49}{0:99,50:99}"},
		{[]int{0, 0}, []int{100, 100}, 3, "{0:32,0:99}{33:99,0:49}{33:99,50:99}"},
		{[]int{-5, 2}, []int{10, 7}, 7, "{-5:-5,2:8}{-4:-2,2:4}{-4:-2,5:8}{-1:1,2:4}{-1:1,5:8}{2:4,2:4}{2:4,5:8}"},
		{[]int{0, 0, 0}, []int{4, 4, 4}, 8, "{0:0,0:3,0:1}{0:0,0:3,2:3}{1:1,0:0,0:3}{1:1,1:3,0:1}{1:1,1:3,2:3}{2:3,0:0,0:3}{2:3,1:3,0:1}{2:3,1:3,2:3}"},
		{[]int{0, 0, 0}, []int{10, 20, 5}, 6, "{0:9,0:5,0:1}{0:9,0:5,2:4}{0:9,6:12,0:1}{0:9,6:12,2:4}{0:9,13:19,0:1}{0:9,13:19,2:4}"},
		{[]int{0, 0, 0}, []int{2, 1, 7}, 5, "{0:1,0:0,0:0}{0:1,0:0,1:1}{0:1,0:0,2:2}{0:0,0:0,3:6}{1:1,0:0,3:6}"},

		// Here Numba's have empty chunks: {0:0}{1:1}{2:2}{1:0}{1:0}, {1:0}{1:0}{1:0}, {0:-1,0:1}{0:1,0:0}{0:1,1:1}, three of {0:-1} by 0:9,
		// and three before {0:0,0:0,0:0}.
		{[]int{0}, []int{3}, 5, "{0:0}{1:1}{2:2}"},
		{[]int{0}, []int{0}, 3, ""},
		{[]int{0, 0}, []int{2, 2}, 3, "{0:0,0:1}{1:1,0:0}{1:1,1:1}"},
		{[]int{0, 0}, []int{0, 10}, 3, ""},
		{[]int{0, 0, 0}, []int{1, 1, 1}, 4, "{0:0,0:0,0:0}"},
	} {
		require.Equal(t, c.want, write(Divide(c.shape, c.count), c.start...), "%v in %d", c.shape, c.count)
	}
}

func TestChunksAreCountedAsByNumba(t *testing.T) {
	for _, c := range []struct {
		n, threads int
		want       map[int]int // by chunk size
	}{
		{14, 2, map[int]int{0: 2, 1: 14, 4: 3, 5: 2, 7: 2, 13: 2, 14: 2, 15: 2}},
		{35, 3, map[int]int{0: 3, 1: 35, 4: 8, 5: 7, 7: 5, 13: 3, 14: 3, 15: 3}},
		{3, 8, map[int]int{0: 3, 1: 3, 2: 3}},
		{0, 4, map[int]int{0: 0, 1: 0}},
		{-7, 4, map[int]int{0: 0, 1: 0}},
		{math.MaxInt, 4, map[int]int{0: 4, 1: math.MaxInt, math.MaxInt: 4}},
	} {
		for size, want := range c.want {
			require.Equal(t, want, Chunks(c.n, c.threads, size), "%d items on %d threads in chunks of %d", c.n, c.threads, size)
		}
	}
}

// Every division of a small space covers it with boxes that are not empty, and as many as wanted where the axes allow.
func TestDivisionsCoverASpace(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		shape := make([]int, random.IntN(5))
		items := 1
		for axis := range shape {
			shape[axis] = random.IntN(7)
			items *= shape[axis]
		}
		count := 1 + random.IntN(32)
		blocks := Divide(shape, count)
		require.LessOrEqual(t, len(blocks), count)
		require.Equal(t, items > 0, len(blocks) > 0)
		covered := map[string]bool{}
		for _, block := range blocks {
			volume := 1
			for axis := range shape {
				require.Less(t, block.Lo[axis], block.Hi[axis])
				volume *= block.Hi[axis] - block.Lo[axis]
			}
			for item := range volume {
				index := make([]int, len(shape))
				for axis := range shape {
					length := block.Hi[axis] - block.Lo[axis]
					index[axis] = block.Lo[axis] + item%length
					item /= length
				}
				key := fmt.Sprint(index)
				require.False(t, covered[key])
				covered[key] = true
			}
		}
		require.Len(t, covered, items)
	}
}

func TestHugeSpacesAreDivided(t *testing.T) {
	blocks := Divide([]int{math.MaxInt, math.MaxInt}, 4)
	require.Len(t, blocks, 4)
	require.Equal(t, math.MaxInt, blocks[3].Hi[0])
	require.Equal(t, math.MaxInt, volume([]int{1 << 40, 1 << 40}))
	require.Zero(t, volume([]int{1 << 40, 1 << 40, 0}))
	require.Nil(t, Divide([]int{5, 5}, 0))
	require.Nil(t, Divide([]int{5, -5}, 3))
	require.Len(t, Divide(nil, 3), 1)
}
