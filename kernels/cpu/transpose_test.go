package cpu

import (
	"bytes"
	"fmt"
	"slices"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/internal/features"
)

// aligned returns memory that begins shift bytes behind a multiple of 64.
func aligned(length, shift int) []byte {
	memory := make([]byte, length+128)
	start := (64-int(uintptr(unsafe.Pointer(&memory[0]))%64))%64 + shift
	return memory[start : start+length]
}

// requirePlane copies a plane of rows×columns elements at every level, and compares all memory around it with what a loop
// over the elements gives.
func requirePlane(t *testing.T, size, rows, columns, shift int, streams bool) {
	t.Helper()
	const margin = 64
	p := plane{size: size, rows: rows, columns: columns, dstRow: size, srcColumn: size, streams: streams}
	p.dstColumn = (rows*size + 127) / 64 * 64
	p.srcRow = (columns + 3) * size
	source := aligned(rows*p.srcRow+margin, shift)
	r := random()
	for i := range source {
		source[i] = byte(r.Uint32())
	}
	empty := aligned(columns*p.dstColumn+2*margin, shift)
	for i := range empty {
		empty[i] = 0xA5
	}
	want := slices.Clone(empty)
	for row := range rows {
		for column := range columns {
			copy(want[margin+column*p.dstColumn+row*size:][:size], source[row*p.srcRow+column*size:])
		}
	}
	features.Each(func(level features.Level) {
		got := aligned(len(empty), shift)
		copy(got, empty)
		p.copy(unsafe.Pointer(&got[margin]), unsafe.Pointer(&source[0]))
		require.True(t, bytes.Equal(want, got), "%v: %d×%d elements of %d bytes, shift %d, streams %v", level, rows, columns, size, shift, streams)
	})
}

// thinned is one, or step where tests are to be short.
func thinned(step int) int {
	if testing.Short() {
		return step
	}
	return 1
}

func TestPlanesOfEverySizeAndPlaceAreTransposedAtAllLevels(t *testing.T) {
	r := random()
	for _, size := range []int{1, 2, 4, 8, 16} {
		for length := 1; length <= 300; length += thinned(9) {
			other, shift := 1+r.IntN(40), r.IntN(64)
			requirePlane(t, size, length, other, shift, false)
			requirePlane(t, size, other, length, shift, true)
			requirePlane(t, size, length, other, 0, true)
		}
	}
}

func TestAxesAreCutIntoPartsThatCoverThem(t *testing.T) {
	for length := 1; length < 3000; length++ {
		for _, block := range []int{64, 256, 1024} {
			end, count := 0, shares(length, block)
			for i := range count {
				first, size := share(length, count, i)
				require.Equal(t, end, first)
				require.GreaterOrEqual(t, size, min(length, partUnit))
				end += size
			}
			require.Equal(t, length, end)
		}
	}
}

// The permutations of four axes, with axes backwards and with gaps, in sizes that are cut into several blocks.
func TestCopiesOfPermutedAxesEqualThoseOfSingleElements(t *testing.T) {
	r := random()
	for _, d := range []dtype.DType{dtype.Int8, dtype.BFloat16, dtype.Int32, dtype.Complex64, dtype.Complex128} {
		for trial := range 20 / thinned(7) {
			shape := []int{1 + r.IntN(3), 1 + r.IntN(80), 1 + r.IntN(90), 1 + r.IntN(6)}
			if trial%10 == 0 {
				shape = []int{1, 300 + r.IntN(20), 1, 640 / d.Size()}
			}
			axes := r.Perm(4)
			x := numbered(d, shape, layout(trial%2))
			for axis, n := range shape {
				if r.IntN(3) == 0 {
					x.Pointer = x.Pointer.Add((n - 1) * x.Strides[axis] * d.Size())
					x.Strides[axis] = -x.Strides[axis]
				}
			}
			x = transposedView(x, axes...)
			for _, how := range outputLayouts {
				features.Each(func(level features.Level) {
					dst := newView(r, d, x.Shape, how)
					run(t, device.KernelName("copy", d), &device.Arguments{Outputs: views(dst), Inputs: views(x)})
					requireSameElements(t, x, dst, fmt.Sprint(d, shape, axes, how, level))
				})
			}
		}
	}
}

func TestLargeCopiesThatGoPastTheCachesArriveEverywhere(t *testing.T) {
	const n = 2112 // squared and times four above streamed
	x := newView(random(), dtype.Uint32, []int{n, n}, rowMajor)
	values := slice[uint32](x.Pointer.Host, n*n)
	for i := range values {
		values[i] = uint32(i)
	}
	dst := newView(random(), dtype.Uint32, []int{n, n + 16}, rowMajor)
	dst.Pointer = dst.Pointer.Add(int(-uintptr(dst.Pointer.Host) % 64))
	dst.Shape, dst.Strides = []int{n - 1, n}, []int{n, 1}
	run(t, "copy/uint32", &device.Arguments{Outputs: views(dst), Inputs: views(transposedView(span(x, 1, 0, n-1), 1, 0))})
	for column := range n - 1 {
		for row, v := range slice[uint32](dst.Pointer.Add(column*n*4).Host, n) {
			if v != uint32(row*n+column) {
				require.Failf(t, "elements differ", "row %d, column %d: %d", row, column, v)
			}
		}
	}
}
