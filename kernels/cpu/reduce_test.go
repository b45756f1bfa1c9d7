package cpu

import (
	"bytes"
	"math"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/internal/features"
	"github.com/weft-nd/weft/parallel"
)

var reductions = []struct {
	shape []int
	axes  int
}{
	{[]int{}, 0}, {[]int{5}, 0}, {[]int{5}, 1}, {[]int{1000}, 1}, {[]int{3, 129}, 1}, {[]int{40, 7}, 1}, {[]int{7, 300}, 1},
	{[]int{2, 3, 5, 7}, 2}, {[]int{20, 3, 130}, 2}, {[]int{0, 4}, 1}, {[]int{3, 9, 200}, 1}, {[]int{17, 1, 2}, 1}, {[]int{2, 33000}, 1},
	{[]int{20, 300}, 1}, {[]int{9, 1000}, 1},
}

// slowTree sums in the order that reduce.go documents.
func slowTree[T any](x []T, join func(a, b T) T) T {
	var level []T
	for len(x) > 0 {
		count := min(leaf, len(x))
		var lane [lanes]T
		for i, v := range x[:count] {
			if i < lanes {
				lane[i] = v
			} else {
				lane[i%lanes] = join(lane[i%lanes], v)
			}
		}
		for _, half := range []int{8, 4, 2, 1} {
			for i := range half {
				if i+half < count {
					lane[i] = join(lane[i], lane[i+half])
				}
			}
		}
		level = append(level, lane[0])
		x = x[count:]
	}
	for len(level) > 1 {
		var next []T
		for i := 0; i+1 < len(level); i += 2 {
			next = append(next, join(level[i], level[i+1]))
		}
		if len(level)%2 == 1 {
			next = append(next, level[len(level)-1])
		}
		level = next
	}
	if len(level) == 0 {
		var zero T
		return zero
	}
	return level[0]
}

func checkReduction[T dtype.Real, D dtype.Real](t *testing.T, operator string, value layoutValue[T], want func(x []T) D) {
	t.Run(name[T](operator), func(t *testing.T) {
		r := random()
		for _, c := range reductions {
			kept := c.shape[:len(c.shape)-c.axes]
			for _, out := range outputLayouts {
				for range 2 {
					for _, in := range inputLayouts {
						x := newFilled(r, c.shape, in, value)
						dst := newView(r, dtype.Of[D](), kept, out)
						all := elements[T](x)
						count := product(c.shape[len(kept):])
						expected := make([]D, dst.Count())
						for i := range expected {
							expected[i] = want(all[i*count : (i+1)*count])
						}
						run(t, name[T](operator), &device.Arguments{
							Outputs: views(dst), Inputs: views(x), Integers: []int64{int64(c.axes)},
						})
						requireEqual(t, expected, elements[D](dst), c.shape, c.axes, out, in)
					}
				}
			}
		}
	})
}

func mapped[T any](x []T, f func(T) T) []T {
	all := make([]T, len(x))
	for i, v := range x {
		all[i] = f(v)
	}
	return all
}

func checkReductions[T dtype.Real](t *testing.T) {
	sum := func(x []T) T { return slowTree(x, func(a, b T) T { return a + b }) }
	checkReduction(t, "sum", finite[T], sum)
	largest := func(x []T) T {
		best := x[0]
		for _, v := range x {
			if v != v {
				return v
			}
			best = max(best, v)
		}
		return best
	}
	checkReduction(t, "prod", finite[T], func(x []T) T { return slowTree(x, func(a, b T) T { return a * b }) })
	checkReduction(t, "sumsq", finite[T], func(x []T) T {
		return slowTree(mapped(x, func(v T) T { return v * v }), func(a, b T) T { return a + b })
	})
	checkReduction(t, "asum", finite[T], func(x []T) T {
		return slowTree(mapped(x, func(v T) T { return max(v, -v) }), func(a, b T) T { return a + b })
	})
	checkReduction(t, "max", ordinary[T], largest)
	checkReduction(t, "min", ordinary[T], func(x []T) T { return -largest(mapped(x, func(v T) T { return -v })) })
	checkReduction(t, "max", finite[T], largest)
	first := func(x []T) int64 {
		for i, v := range x {
			if v != v {
				return int64(i)
			}
		}
		best := 0
		for i, v := range x {
			if v > x[best] {
				best = i
			}
		}
		return int64(best)
	}
	checkReduction(t, "argmax", ordinary[T], first)
	checkReduction(t, "argmin", ordinary[T], func(x []T) int64 { return first(mapped(x, func(v T) T { return -v })) })
	checkReduction(t, "argmax", finite[T], first)
}

func checkFewRows[T dtype.Float](t *testing.T) {
	r := random()
	for rows := 1; rows <= lanes+1; rows++ {
		for _, width := range []int{8, 9, 15, 16, 17, 31, 63, 64, 65, 300} {
			x := newFilled(r, []int{rows, width + rows%3}, rowMajor, finite[T])
			x.Shape, x.Strides = []int{width, rows}, []int{1, width + rows%3}
			want := make([]T, width)
			for i := range want {
				var column []T
				for row := range rows {
					column = append(column, *(*T)(address(x, []int{i, row})))
				}
				want[i] = slowTree(column, plus[T])
			}
			features.Each(func(level features.Level) {
				dst := newView(r, x.DType, []int{width}, rowMajor)
				run(t, name[T]("sum"), &device.Arguments{Outputs: views(dst), Inputs: views(x), Integers: []int64{1}})
				requireEqual(t, want, elements[T](dst), level, rows, width)
			})
		}
	}
}

func TestSumsOfFewRowsFollowTheDocumentedTree(t *testing.T) {
	checkFewRows[float32](t)
	checkFewRows[float64](t)
}

func TestReductionsFollowTheDocumentedTree(t *testing.T) {
	checkReductions[float32](t)
	if !testing.Short() {
		checkReductions[float64](t)
		checkReductions[int64](t)
	}
	checkReduction(t, "mean", finite[float32], func(x []float32) float32 {
		return slowTree(x, func(a, b float32) float32 { return a + b }) / float32(len(x))
	})
}

func TestReductionsOfNothing(t *testing.T) {
	for _, shape := range [][]int{{2, 0}, {100, 0}, {40, 50, 0}} { // from 16 outputs on they could be reduced by columns
		x := newView(random(), dtype.Float64, shape, rowMajor)
		dst := newFilled(random(), shape[:len(shape)-1], rowMajor, finite[float64])
		a := &device.Arguments{Outputs: views(dst), Inputs: views(x), Integers: []int64{1}}
		run(t, "sum/float64", a)
		require.Equal(t, make([]float64, dst.Count()), elements[float64](dst))
		run(t, "mean/float64", a)
		for _, mean := range elements[float64](dst) {
			require.True(t, math.IsNaN(mean))
		}
	}
}

func TestReductionsDoNotDependOnWorkersOrLayout(t *testing.T) {
	operators := []string{"sum", "mean", "max", "var", "logsumexp", "norm"}
	if testing.Short() {
		operators = []string{"mean"}
	}
	for _, c := range []struct {
		shape []int
		axes  int
	}{{[]int{300_000}, 1}, {[]int{64, 20_000}, 1}, {[]int{20, 70_000}, 1}, {[]int{3, 100_000}, 1}, {[]int{20_000, 9}, 1}} {
		row := newFilled(random(), c.shape, rowMajor, finite[float32])
		column := row
		if len(c.shape) == 2 {
			column = transposedView(newView(random(), dtype.Float32, []int{c.shape[1], c.shape[0]}, rowMajor), 1, 0)
			assign(column, elements[float32](row))
		}
		for _, operator := range operators {
			reduce := func(x device.View) []float32 {
				return sameBits[float32](t, func(thread *parallel.Thread) device.View {
					dst := newView(random(), dtype.Float32, c.shape[:len(c.shape)-c.axes], rowMajor)
					require.NoError(t, call(t, thread, operator+"/float32", &device.Arguments{
						Outputs: views(dst), Inputs: views(x), Integers: []int64{int64(c.axes)}, Scalars: []float64{2},
					}))
					return dst
				})
			}
			require.Equal(t, reduce(row), reduce(column), operator)
		}
	}
}

func TestArgmaxPrefersTheFirstNaN(t *testing.T) {
	nan := math.NaN()
	dst := fromSlice([]int64{0}, 1)
	x := make([]float64, 1000)
	x[300], x[700], x[900] = math.Inf(1), nan, nan
	run(t, "argmax/float64", &device.Arguments{
		Outputs: views(dst), Inputs: views(fromSlice(x, 1, 1000)), Integers: []int64{1},
	})
	require.Equal(t, []int64{700}, elements[int64](dst))
}

// Whether elements are zero is known wherever the one that differs lies.
func TestTruthsAreThoseOfEveryElement(t *testing.T) {
	check := func(d dtype.DType, zero, one []byte) {
		for _, count := range []int{1, 7, 64, 200, 255, 256, 600, 5000, 70_000} {
			for _, place := range []int{-1, 0, count / 3, count - 1} {
				for _, mostly := range [][2][]byte{{zero, one}, {one, zero}} {
					memory := bytes.Repeat(mostly[0], count+1)
					if place >= 0 {
						copy(memory[place*len(one):], mostly[1])
					}
					x := device.View{Pointer: device.Pointer{Host: unsafe.Pointer(&memory[0])}, DType: d, Shape: []int{count}, Strides: []int{1}}
					nonzero, differing := 0, min(1, place+1)
					if &mostly[0][0] == &one[0] {
						nonzero = count - differing
					} else {
						nonzero = differing
					}
					for operator, want := range map[string]any{"count_nonzero": int64(nonzero), "any": nonzero > 0, "all": nonzero == count} {
						dst := newView(random(), dtype.Int64, []int{}, rowMajor)
						run(t, device.KernelName(operator, d), &device.Arguments{Outputs: views(dst), Inputs: views(x), Integers: []int64{1}})
						if operator == "count_nonzero" {
							require.Equal(t, want, elements[int64](dst)[0], "%s %v %d %d", operator, d, count, place)
						} else {
							require.Equal(t, want, elements[bool](dst)[0], "%s %v %d %d", operator, d, count, place)
						}
					}
				}
			}
		}
	}
	negative := func(size int) []byte { return append(make([]byte, size-1), 0x80) } // little-endian -0
	for d, zero := range map[dtype.DType][]byte{
		dtype.Bool: {0}, dtype.Int8: {0}, dtype.Uint16: {0, 0}, dtype.Int32: make([]byte, 4), dtype.Uint64: make([]byte, 8),
		dtype.Float16: negative(2), dtype.BFloat16: negative(2), dtype.Float32: negative(4), dtype.Float64: negative(8),
		dtype.Complex64: append(make([]byte, 4), negative(4)...), dtype.Complex128: append(negative(8), negative(8)...),
	} {
		one := make([]byte, len(zero))
		one[0] = 1
		check(d, zero, one)
	}
}

func TestExtremesOfBoolsAreFoundWhereverTheyAre(t *testing.T) {
	for _, count := range []int{1, 40, 256, 257, 9000, 100_000} {
		for _, place := range []int{-1, 0, count / 2, count - 1} {
			for _, most := range []uint8{0, 1} {
				x := bytes.Repeat([]byte{1 - most}, count)
				if place >= 0 {
					x[place] = most
				}
				v := fromMemory(x)
				v.DType = dtype.Bool
				extreme, search := "min/bool", "argmin/bool"
				if most == 1 {
					extreme, search = "max/bool", "argmax/bool"
				}
				dst := newView(random(), dtype.Int64, []int{}, rowMajor)
				run(t, search, &device.Arguments{Outputs: views(dst), Inputs: views(v), Integers: []int64{1}})
				require.Equal(t, int64(max(place, 0)), elements[int64](dst)[0])
				result := newView(random(), dtype.Bool, []int{}, rowMajor)
				run(t, extreme, &device.Arguments{Outputs: views(result), Inputs: views(v), Integers: []int64{1}})
				require.Equal(t, x[max(place, 0)] == 1, elements[bool](result)[0])
			}
		}
	}
}

// However the elements of an output lie, and however many outputs there are.
func TestTruthsOfColumnsAndShortRows(t *testing.T) {
	r := random()
	for _, d := range []dtype.DType{dtype.Bool, dtype.Int16, dtype.Float32, dtype.Complex64, dtype.Complex128} {
		size := d.Size()
		for _, shape := range [][2]int{{3, 40}, {300, 3}, {70, 16}, {129, 50}, {1100, 2}, {9, 300}, {5000, 7}, {200, 290}, {70, 1500}} {
			outputs, count := shape[0], shape[1]
			known := make([]bool, outputs*count)
			for i := range outputs {
				for k := range count { // of every third output all, of every third none or few, of the others some
					known[i*count+k] = i%3 == 0 || i%3 == 1 && r.IntN(2*count) == 0 || i%3 == 2 && r.IntN(2) == 0
				}
			}
			for _, byColumns := range []bool{false, true} {
				memory := make([]byte, len(known)*size)
				x := device.View{Pointer: device.Pointer{Host: unsafe.Pointer(&memory[0])}, DType: d, Shape: []int{outputs, count}, Strides: []int{count, 1}}
				if byColumns {
					x.Strides = []int{1, outputs}
				}
				for i, one := range known {
					if one {
						memory[(i/count*x.Strides[0]+i%count*x.Strides[1])*size] = 1
					}
				}
				numbers, found, all := newView(r, dtype.Int64, []int{outputs}, rowMajor), newView(r, dtype.Bool, []int{outputs}, rowMajor), newView(r, dtype.Bool, []int{outputs}, rowMajor)
				for operator, dst := range map[string]device.View{"count_nonzero": numbers, "any": found, "all": all} {
					run(t, device.KernelName(operator, d), &device.Arguments{Outputs: views(dst), Inputs: views(x), Integers: []int64{1}})
				}
				want, some, every := make([]int64, outputs), make([]bool, outputs), make([]bool, outputs)
				for i := range known {
					if known[i] {
						want[i/count]++
					}
				}
				for i, number := range want {
					some[i], every[i] = number > 0, number == int64(count)
				}
				require.Equal(t, want, elements[int64](numbers), "%v %v %v", d, shape, byColumns)
				require.Equal(t, some, elements[bool](found), "%v %v %v", d, shape, byColumns)
				require.Equal(t, every, elements[bool](all), "%v %v %v", d, shape, byColumns)
			}
		}
	}
}

// TestReductionsOfLittleColumnsAreThoseOfOtherLayouts compares matrices that are reduced at once with results that are apart.
func TestReductionsOfLittleColumnsAreThoseOfOtherLayouts(t *testing.T) {
	r := random()
	for _, kernel := range []string{"sum", "max", "min", "prod"} {
		for _, shape := range [][2]int{{1, 8}, {2, 9}, {15, 10}, {64, 128}, {64, 10}, {256, 16}, {257, 16}, {33, 1024}, {3, 1025}} {
			rows, columns := shape[0], shape[1]
			x := newFilled(r, []int{rows, columns}, rowMajor, finite[float32])
			apart := newView(r, dtype.Float32, []int{columns, 2}, rowMajor)
			apart.Shape, apart.Strides = apart.Shape[:1], apart.Strides[:1]
			to := newView(r, dtype.Float32, []int{columns}, rowMajor)
			for _, output := range []device.View{apart, to} {
				run(t, kernel+"/float32", &device.Arguments{Outputs: views(output), Inputs: views(swapped(x)), Integers: []int64{1}})
			}
			requireEqual(t, elements[float32](apart), elements[float32](to), kernel, shape)
		}
	}
}

// TestRowsOfSeveralAxesAreReducedAsOneAfterTheOther reduces rows that lie apart, longer ones than assembly copies among them, and the same
// elements one after the other.
func TestRowsOfSeveralAxesAreReducedAsOneAfterTheOther(t *testing.T) {
	r := random()
	for _, length := range []int{3, 100, 1024, 1025, 2048, 5000} {
		const outer, kept = 5, 3
		apart := newFilled(r, []int{outer, kept, length}, rowMajor, finite[float32])
		apart.Shape, apart.Strides = []int{kept, outer, length}, []int{length, kept * length, 1} // the last two are reduced
		whole := newView(r, dtype.Float32, apart.Shape, rowMajor)
		copyView(pools[1].Thread(), whole, apart)
		for _, kernel := range []string{"sum/float32", "max/float32", "logsumexp/float32"} {
			got, want := newView(r, dtype.Float32, []int{kept}, rowMajor), newView(r, dtype.Float32, []int{kept}, rowMajor)
			run(t, kernel, &device.Arguments{Outputs: views(got), Inputs: views(apart), Integers: []int64{2}})
			run(t, kernel, &device.Arguments{Outputs: views(want), Inputs: views(whole), Integers: []int64{2}})
			require.Equal(t, elements[float32](want), elements[float32](got), "%s of rows of %d", kernel, length)
		}
	}
}
