package cpu

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/internal/features"
)

// extremesAmong makes numbers of all sizes, rarely infinite or NaN, so that sums differ where their order does.
func extremesAmong[T dtype.Real](r *rand.Rand) T {
	if !dtype.Of[T]().IsFloat() {
		return T(int64(r.Uint64()))
	}
	special := []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), math.Copysign(math.NaN(), -1), 1e-44, -1e-310}
	switch i := r.IntN(2000); {
	case i < len(special):
		return T(special[i])
	case i < 200:
		return T(math.Copysign(0, float64(i%2)-0.5))
	default:
		return T(r.NormFloat64() * math.Exp2(float64(r.IntN(20)-10)))
	}
}

// reduceAtLevels requires a reduction to give the same bits at every level; reductions of NaN give any NaN.
func reduceAtLevels[T dtype.Real, D comparable](t *testing.T, operator string, x device.View, about ...any) {
	t.Helper()
	outputs := x.Shape[:len(x.Shape)-1]
	var want []D
	var zero D
	features.Each(func(level features.Level) {
		dst := newView(random(), resultType(operator, dtype.Of[T]()), outputs, rowMajor)
		require.NoError(t, call(t, pools[1].Thread(), name[T](operator), &device.Arguments{
			Outputs: views(dst), Inputs: views(x), Integers: []int64{1}, Scalars: []float64{1},
		}))
		got := elements[D](dst)
		if level == features.Portable {
			want = got
		}
		for i := range want {
			same := want[i] == got[i] && (want[i] != zero || fmt.Sprint(want[i]) == fmt.Sprint(got[i])) // Texts tell zeros apart.
			if !same && (want[i] == want[i] || got[i] == got[i]) {
				require.Failf(t, "levels differ", "%s %v: output %d is %v, not %v; %v", operator, level, i, got[i], want[i], about)
			}
		}
	})
}

// resultType is the type that operator has for elements of type d.
func resultType(operator string, d dtype.DType) dtype.DType {
	switch operator {
	case "any", "all":
		return dtype.Bool
	case "argmax", "argmin":
		return dtype.Int64
	case "sum", "prod", "asum", "sumsq":
		if d.IsInteger() || d == dtype.Bool {
			return dtype.Int64
		}
	}
	return d
}

var levelled = []string{"sum", "prod", "asum", "sumsq", "max", "min", "argmax", "argmin"}

func checkLevels[T dtype.Real](t *testing.T, operators []string) {
	r := random()
	memory := make([]T, 70_000)
	for i := range memory {
		memory[i] = extremesAmong[T](r)
	}
	all := fromMemory(memory)
	for _, operator := range operators {
		check := func(x device.View, about ...any) {
			t.Helper()
			if resultType(operator, dtype.Of[T]()) == dtype.Int64 {
				reduceAtLevels[T, int64](t, operator, x, about...)
			} else {
				reduceAtLevels[T, T](t, operator, x, about...)
			}
		}
		t.Run(name[T](operator), func(t *testing.T) {
			for count := 1; count <= 300; count++ {
				if testing.Short() && count > 40 && count%8 > 1 {
					continue
				}
				x := all
				x.Pointer = x.Pointer.Add(r.IntN(35_000) * x.DType.Size())
				x.Shape, x.Strides = []int{3, count}, []int{1000 + count%3, 1}
				check(x, "rows of", count)
				x.Shape, x.Strides[0] = []int{20 + r.IntN(80), count}, count+count%3
				check(x, "many rows of", count)
				x.Shape[0], x.Strides = 9, []int{1500, 1 + count%5}
				check(x, "rows apart of", count)
			}
			for _, count := range []int{511, 512, 8191, 69_999, 14 * leaf, 15*leaf + 1, 16 * leaf, 17*leaf + 1, 18 * leaf, 19*leaf - 1, 33*leaf - 1} {
				x, rows := all, min(7, 70_000/count)
				x.Pointer = x.Pointer.Add(r.IntN(70_000-rows*count+1) * x.DType.Size())
				x.Shape, x.Strides = []int{rows, count}, []int{count, 1}
				check(x, rows, "long rows of", count)
			}
			for width := 1; width <= 300; width += 1 + width/8 {
				rows := 1 + r.IntN(min(2000, 20_000/width))
				x := all
				x.Pointer = x.Pointer.Add(r.IntN(9) * x.DType.Size())
				x.Shape, x.Strides = []int{width, rows}, []int{1, width + r.IntN(2)}
				check(x, "columns of", rows, width)
			}
		})
	}
}

func TestReductionsHaveEqualBitsAtAllLevels(t *testing.T) {
	checkLevels[float32](t, append(levelled, "mean", "var", "std", "logsumexp"))
	checkLevels[float64](t, append(levelled, "mean", "var", "std", "logsumexp", "norm"))
	checkLevels[int64](t, levelled)
	checkLevels[uint8](t, levelled)
	if testing.Short() {
		return
	}
	checkLevels[uint64](t, levelled)
	checkLevels[int32](t, levelled)
	checkLevels[uint32](t, levelled)
	checkLevels[int16](t, levelled)
	checkLevels[uint16](t, levelled)
	checkLevels[int8](t, levelled)
}

// Types whose elements are converted before they are reduced, and those that are tested for truth.
func TestReductionsOfHalvesAndTruthsHaveEqualBitsAtAllLevels(t *testing.T) {
	truths := []string{"any", "all", "count_nonzero"}
	halves := slices.Concat(truths, levelled, []string{"mean", "var", "std", "logsumexp", "norm"})
	for d, operators := range map[dtype.DType][]string{
		dtype.Float16: halves, dtype.BFloat16: halves, dtype.Bool: slices.Concat(truths, levelled),
		dtype.Float32: truths, dtype.Float64: truths, dtype.Int64: truths, dtype.Int32: truths, dtype.Int16: truths, dtype.Uint8: truths,
	} {
		r := random()
		all := newView(r, d, []int{12_000}, rowMajor)
		copy(slice[byte](all.Pointer.Host, 12_000*d.Size()), awkward(r, d, 12_000))
		for _, operator := range operators {
			result := d
			switch operator {
			case "any", "all":
				result = dtype.Bool
			case "argmax", "argmin", "count_nonzero":
				result = dtype.Int64
			case "sum", "prod", "asum", "sumsq":
				if d == dtype.Bool {
					result = dtype.Int64
				}
			}
			for count := 1; count <= 300; count++ {
				if testing.Short() && count > 40 && count%8 > 1 {
					continue
				}
				x := all
				x.Pointer = x.Pointer.Add(r.IntN(999) * d.Size())
				x.Shape, x.Strides = []int{5, count}, []int{1000 + count%3, 1 + count%4}
				if count%2 == 0 {
					x.Shape, x.Strides = []int{count, 30}, []int{1, count}
				}
				var want []byte
				features.Each(func(level features.Level) {
					dst := newView(r, result, x.Shape[:1], rowMajor)
					run(t, device.KernelName(operator, d), &device.Arguments{Outputs: views(dst), Inputs: views(x), Integers: []int64{1}, Scalars: []float64{1}})
					got := quiet(result, slice[byte](dst.Pointer.Host, x.Shape[0]*result.Size()))
					if level == features.Portable {
						want = got
					}
					require.True(t, bytes.Equal(want, got), "%s of %v at %v: %v by %v", operator, d, level, x.Shape, x.Strides)
				})
			}
		}
	}
}

// The first NaN wins wherever it is, and zeros are ordered by their signs.
func TestExtremesOfNaNAndZeros(t *testing.T) {
	negative := math.Copysign(0, -1)
	features.Each(func(level features.Level) {
		for _, count := range []int{1, 2, 15, 16, 17, 255, 256, 257, 1000, 70_000} {
			x := make([]float64, count)
			one := func(operator string, d dtype.DType) device.View {
				dst := newView(random(), d, []int{}, rowMajor)
				run(t, name[float64](operator), &device.Arguments{Outputs: views(dst), Inputs: views(fromSlice(x, count)), Integers: []int64{1}})
				return dst
			}
			place := count * 2 / 3
			for i := range x {
				x[i] = negative
			}
			require.True(t, math.Signbit(elements[float64](one("max", dtype.Float64))[0]), "%v %d", level, count)
			x[place] = 0
			require.False(t, math.Signbit(elements[float64](one("max", dtype.Float64))[0]), "%v %d", level, count)
			require.Equal(t, count > 1, math.Signbit(elements[float64](one("min", dtype.Float64))[0]), "%v %d", level, count)
			require.Equal(t, []int64{0}, elements[int64](one("argmax", dtype.Int64)))
			for _, nan := range []float64{math.NaN(), math.Copysign(math.NaN(), -1)} {
				x[place], x[count-1] = nan, nan
				for _, operator := range []string{"max", "min"} {
					require.True(t, math.IsNaN(elements[float64](one(operator, dtype.Float64))[0]), "%s %v %d", operator, level, count)
				}
				for _, operator := range []string{"argmax", "argmin"} {
					require.Equal(t, []int64{int64(place)}, elements[int64](one(operator, dtype.Int64)), "%s %v %d", operator, level, count)
				}
			}
		}
	})
}

func checkExtremesBesideInfinities[T dtype.Float](t *testing.T, largest T) {
	infinity := T(math.Inf(1))
	w := workspaces.Get().(*workspace)
	defer workspaces.Put(w)
	features.Each(func(level features.Level) {
		for _, count := range []int{256, 300, 1000, 70_000} {
			x := slices.Repeat([]T{largest}, count) // Their sum overflows.
			x[count*2/3] = -infinity
			require.Equal(t, largest, newMaximum[T]().run(w, x, 0), "%v %d", level, count)
			require.Equal(t, -infinity, newMinimum[T]().run(w, x, 0), "%v %d", level, count)
			x[count/2] = infinity
			require.Equal(t, infinity, newMaximum[T]().run(w, x, 0), "%v %d", level, count)
			require.Equal(t, -infinity, newMinimum[T]().run(w, x, 0), "%v %d", level, count)
			x = slices.Repeat([]T{-infinity}, count)
			require.Equal(t, -infinity, newMaximum[T]().run(w, x, 0), "%v %d", level, count)
		}
	})
}

func TestExtremesBesideInfinities(t *testing.T) {
	checkExtremesBesideInfinities[float32](t, math.MaxFloat32)
	checkExtremesBesideInfinities[float64](t, math.MaxFloat64)
}

func checkExtremesOfLeaves[T dtype.Real](t *testing.T) {
	w := workspaces.Get().(*workspace)
	defer workspaces.Put(w)
	largest, smallest := newMaximum[T](), newMinimum[T]()
	features.Each(func(level features.Level) {
		for _, count := range []int{7, 8, 32, 40, 131, segment / leaf, 2*segment/leaf + 3} {
			x := slices.Repeat([]T{1}, count*leaf+count%2*100)
			for place := 0; place < count; place += 1 + count*thinned(9)/300 {
				at := place*leaf + place%leaf
				x[at] = 2
				require.Equal(t, T(2), largest.run(w, x, 0), "max of %T on %v: leaf %d of %d", x[0], level, place, count)
				x[at] = 0
				require.Equal(t, T(0), smallest.run(w, x, 0), "min of %T on %v: leaf %d of %d", x[0], level, place, count)
				x[at] = 1
			}
		}
	})
}

func TestExtremesAreFoundInEveryLeaf(t *testing.T) {
	checkExtremesOfLeaves[float32](t)
	checkExtremesOfLeaves[float64](t)
	checkExtremesOfLeaves[int8](t)
	checkExtremesOfLeaves[int16](t)
	checkExtremesOfLeaves[int32](t)
	checkExtremesOfLeaves[uint64](t)
}

// The bound holds for any number of elements: the test has as many as there is time for.
func TestSumsOfManyNumbersAreAccurate(t *testing.T) {
	count := 100_000_000
	if testing.Short() {
		count = 10_000_000
	}
	r := rand.New(rand.NewPCG(3, 4))
	x := make([]float32, count)
	block := make([]float32, 1<<16)
	for i := range block {
		block[i] = float32(r.NormFloat64() + 0.1)
	}
	exact, magnitude := 0.0, 0.0
	for at := 0; at < count; at += len(block) {
		scale := float32(1 + at%5)
		for i, v := range block[:min(len(block), count-at)] {
			x[at+i] = v * scale
			exact += float64(x[at+i])
			magnitude += math.Abs(float64(x[at+i]))
		}
	}
	dst := fromSlice([]float32{0})
	run(t, "sum/float32", &device.Arguments{Outputs: views(dst), Inputs: views(fromMemory(x)), Integers: []int64{1}})
	require.InDelta(t, exact, float64(elements[float32](dst)[0]), 1e-6*magnitude)
}

// Distances are taken from means, so that all the harm a large mean does comes from its own rounding.
func TestVariancesOfNumbersFarFromZeroAreAccurate(t *testing.T) {
	r := random()
	for _, count := range []int{2, 10, 255, 256, 257, 1000, 100_000} {
		for _, mean := range []float64{0, 1000, -1e6} {
			x := make([]float32, count)
			for i := range x {
				x[i] = float32(mean + r.NormFloat64())
			}
			exactMean, exact := 0.0, 0.0
			for _, v := range x {
				exactMean += float64(v) / float64(count)
			}
			for _, v := range x {
				exact += (float64(v) - exactMean) * (float64(v) - exactMean)
			}
			for correction := range 2 {
				dst := fromSlice([]float32{0})
				run(t, "var/float32", &device.Arguments{Outputs: views(dst), Inputs: views(fromMemory(x)), Integers: []int64{1}, Scalars: []float64{float64(correction)}})
				require.InEpsilon(t, exact/float64(count-correction), float64(elements[float32](dst)[0]), 2e-6+4*math.Pow(mean*0x1p-24, 2), "%d %v", count, mean)
			}
		}
	}
}

func fromMemory[T dtype.Element](x []T) device.View {
	v := fromSlice(x[:1], 1)
	v.Pointer, v.Shape = device.Pointer{Host: unsafe.Pointer(&x[0])}, []int{len(x)}
	return v
}

func TestReductionsOfIntegersWrapAndWiden(t *testing.T) {
	small := fromSlice([]int8{127, 127, -128, 5}, 4)
	big := fromSlice([]uint64{math.MaxUint64, 2, 1 << 63}, 3)
	for _, c := range []struct {
		name string
		x    device.View
		want uint64
	}{
		{"sum/int8", small, 131}, {"prod/int8", small, uint64(1<<64 - 127*127*128*5)}, {"sumsq/int8", small, 127*127*2 + 128*128 + 25}, {"asum/int8", small, 387},
		{"sum/uint64", big, 1<<63 + 1}, {"max/uint64", big, math.MaxUint64}, {"min/uint64", big, 2}, {"argmax/uint64", big, 0}, {"asum/uint64", big, 1<<63 + 1},
		{"count_nonzero/uint64", big, 3},
	} {
		dst := newView(random(), dtype.Uint64, []int{}, rowMajor)
		run(t, c.name, &device.Arguments{Outputs: views(dst), Inputs: views(c.x), Integers: []int64{1}})
		require.Equal(t, c.want, elements[uint64](dst)[0], c.name)
	}
}

// checkTreesOfAVX512 calls the trees of AVX-512 whether or not totals take them on this processor.
func checkTreesOfAVX512[T dtype.Real](t *testing.T, totals ...*total[T]) {
	r, w := random(), new(workspace)
	var element T
	most := treeElements(features.AVX512, int(unsafe.Sizeof(element)))
	for _, f := range totals {
		known := assembledTotals[dtype.Of[T]().String()].(map[string][2]assembledTotal[T])
		compute := known[f.operator][features.AVX512-features.AVX2].trees
		require.NotNil(t, compute, f.operator)
		for _, count := range []int{1, 15, 16, 255, 256, 257, 300, 512, 513, 1000, 1024, 1025, 4096, 4097, 10_000, 16*leaf - 1, most - 1, most} {
			for trees := 1; trees <= treesAtOnce && trees*count <= segment; trees++ {
				stride := count + r.IntN(20)
				x, got, want := make([]T, trees*stride), make([]T, trees), make([]T, trees)
				for i := range x {
					v := 1 + float64(r.IntN(2000)-1000)/7000
					if dtype.Of[T]().IsInteger() {
						v *= 1000
					}
					x[i] = T(v)
				}
				compute(&got[0], &x[0], (*T)(unsafe.Pointer(&w.columns)), stride*int(unsafe.Sizeof(element)), trees, count)
				features.Each(func(level features.Level) {
					if level == features.AVX2 {
						for i := range want {
							want[i] = f.fold().stretch(w, x[i*stride:][:count], 0)
						}
					}
				})
				require.Equal(t, want, got, "%s of %d trees of %d %T", f.operator, trees, count, element)
			}
		}
	}
}

func TestTreesOfAVX512AreThoseOfAVX2(t *testing.T) {
	if features.Best < features.AVX512 {
		t.Skip("the processor has no AVX-512")
	}
	checkTreesOfAVX512(t, sum32, product32, asum32, sumsq32)
	checkTreesOfAVX512(t, sum64, product64, asum64, sumsq64)
	checkTreesOfAVX512(t, sumInt64)
}

func TestAssemblyOfLongRowsEndsSoon(t *testing.T) {
	f := newSum[float32]()
	if f.assembly().trees == nil {
		t.Skip("there is no assembly for this processor")
	}
	called := false
	f.find = func() *[2]assembledTotal[float32] {
		var assembly [2]assembledTotal[float32]
		for i := range assembly {
			assembly[i].trees = func(_, _, _ *float32, _, trees, count int) {
				called = true
				require.LessOrEqual(t, trees*count, segment)
			}
		}
		return &assembly
	}
	var w workspace
	for _, count := range []int{leaf + 1, 16 * leaf, 64 * leaf, 64*leaf + 1, segment/2 + 1, segment, 3 * segment} {
		f.longRows(&w, make([]float32, 7), unsafe.Pointer(unsafe.SliceData(make([]float32, 7*count))), 4*count, count)
	}
	require.True(t, called)
}

// TestLogarithmsOfSumsOfColumnsAreThoseOfRows has columns of several leaves, which are turned round, and some less than a leaf behind them.
func TestLogarithmsOfSumsOfColumnsAreThoseOfRows(t *testing.T) {
	const outputs, count = 21, 600
	r := random()
	values := newFilled(r, []int{outputs, count}, rowMajor, func(r *rand.Rand) float64 { return 3 * r.NormFloat64() })
	for _, d := range []dtype.DType{dtype.Float16, dtype.BFloat16, dtype.Float32, dtype.Float64, dtype.Int8, dtype.Int16, dtype.Int32, dtype.Int64} {
		result := d
		if d.IsInteger() {
			result = dtype.Float64
		}
		features.Each(func(level features.Level) {
			rows, columns := newView(r, d, values.Shape, rowMajor), newView(r, d, values.Shape, rowMajor)
			columns.Strides = []int{1, outputs}
			var bits [2][]byte
			for i, x := range views(rows, columns) {
				run(t, "cast/float64/"+d.String(), &device.Arguments{Outputs: views(x), Inputs: views(values)})
				dst := newView(r, result, []int{outputs}, rowMajor)
				run(t, device.KernelName("logsumexp", d), &device.Arguments{Outputs: views(dst), Inputs: views(x), Integers: []int64{1}})
				bits[i] = bytes.Clone(slice[byte](dst.Pointer.Host, outputs*result.Size()))
			}
			require.Equal(t, bits[0], bits[1], "%v at %v", d, level)
		})
	}
}
