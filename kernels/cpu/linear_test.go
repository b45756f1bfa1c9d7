package cpu

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/gemm"
	"github.com/weft-nd/weft/kernels/cpu/internal/features"
	"github.com/weft-nd/weft/parallel"
)

// slowLinear computes linear with one addend and relu, in float64.
func slowLinear[T dtype.Float](alpha float64, x, weight, addend device.View) []float64 {
	columns := x.Shape[len(x.Shape)-1]
	xs, ws, result := elements[T](x), elements[T](weight), []float64{}
	for i, plus := range elements[T](addend) {
		row, column := i/(len(ws)/columns), i%(len(ws)/columns)
		sum := 0.0
		for k := range columns {
			sum += float64(xs[row*columns+k]) * float64(ws[k*(len(ws)/columns)+column])
		}
		result = append(result, max(alpha*sum+float64(plus), 0))
	}
	return result
}

func checkLinear[T dtype.Float](t *testing.T, tolerance float64) {
	r := random()
	const inner, columns = 30, 20
	for _, rows := range [][]int{{7}, {3, 5}, {2, 3, 4}} {
		shape := append(append([]int{}, rows...), columns)
		for _, how := range []layout{rowMajor, scattered, broadcast} {
			x := newFilled(r, append(append([]int{}, rows...), inner), how, finite[T])
			weight, addend := newFilled(r, []int{inner, columns}, how, finite[T]), newFilled(r, shape, how, finite[T])
			for _, to := range []layout{rowMajor, scattered} {
				output := newView(r, dtype.Of[T](), shape, to)
				a := device.Arguments{Outputs: views(output), Inputs: views(x, weight, addend), Integers: []int64{LinearRelu}, Scalars: []float64{0.5}}
				want := slowLinear[T](0.5, x, weight, addend)
				require.NoError(t, call(t, pools[2].Thread(), name[T]("linear"), &a))
				requireClose(t, want, elements[T](output), tolerance)
				requireScratch(t, name[T]("linear"), a, LinearScratch(output, a.Inputs, a.Scalars[0]))
			}
		}
	}
}

func TestLinearEqualsItsDefinition(t *testing.T) {
	checkLinear[float32](t, 1e-5)
	checkLinear[float64](t, 1e-13)
}

func TestLinearOfGonumEqualsItsDefinition(t *testing.T) {
	defer func() { usesGonum = false }()
	usesGonum = true
	checkLinear[float32](t, 1e-5)
	checkLinear[float64](t, 1e-13)
}

// A weight of halves is read as it is where that is possible: the bits are those of the weight that is cast.
func TestLinearOfHalvesIsThatOfSingleNumbersRounded(t *testing.T) {
	r := random()
	const inner, columns = 700, 45
	cast := func(view device.View, d dtype.DType, how layout) device.View {
		to := newView(r, d, view.Shape, how)
		require.NoError(t, castView(pools[1].Thread(), transfer{to, view}))
		return to
	}
	for _, half := range []dtype.DType{dtype.Float16, dtype.BFloat16} {
		for _, rows := range []int{1, 3, 40} {
			for _, turns := range []bool{false, true} {
				x, addend := newFilled(r, []int{rows, inner}, rowMajor, finite[float32]), newFilled(r, []int{rows, columns}, rowMajor, finite[float32])
				weight := newFilled(r, []int{inner, columns}, rowMajor, finite[float32])
				if turns {
					weight = swapped(newFilled(r, []int{columns, inner}, rowMajor, finite[float32]))
				}
				narrow := views(cast(x, half, rowMajor), cast(swapped(weight), half, rowMajor), cast(addend, half, scattered))
				if narrow[1] = swapped(narrow[1]); !turns {
					narrow[1] = cast(weight, half, rowMajor)
				}
				wide := device.Arguments{Outputs: views(newView(r, dtype.Float32, addend.Shape, rowMajor)), Integers: []int64{LinearRelu}, Scalars: []float64{0.5}}
				for _, view := range narrow {
					wide.Inputs = append(wide.Inputs, cast(view, dtype.Float32, rowMajor))
				}
				a := device.Arguments{Outputs: views(newView(r, half, addend.Shape, scattered)), Inputs: narrow, Integers: wide.Integers, Scalars: wide.Scalars}
				require.Equal(t, (rows == 1 || !turns) && features.Best == features.AVX512, readings["linear"](&a) != nil)
				require.NoError(t, call(t, pools[2].Thread(), "linear/float32", &wide))
				require.NoError(t, call(t, pools[2].Thread(), "linear/"+half.String(), &a))
				requireScratch(t, "linear/"+half.String(), a, WideningScratch("linear", half, &a))
				require.Equal(t, elements[float32](cast(cast(wide.Outputs[0], half, rowMajor), dtype.Float32, rowMajor)), elements[float32](cast(a.Outputs[0], dtype.Float32, rowMajor)))
			}
		}
	}
}

func TestLinearDoesNotDependOnWorkers(t *testing.T) {
	x, weight := newFilled(random(), []int{64, 784}, rowMajor, finite[float32]), newFilled(random(), []int{784, 128}, rowMajor, finite[float32])
	bias := newFilled(random(), []int{64, 128}, broadcast, finite[float32])
	for _, activation := range []int64{LinearPlain, LinearRelu, LinearGelu} {
		sameBits[float32](t, func(thread *parallel.Thread) device.View {
			dst := newView(random(), dtype.Float32, []int{64, 128}, rowMajor)
			a := &device.Arguments{Outputs: views(dst), Inputs: views(x, weight, bias), Integers: []int64{activation}, Scalars: []float64{1}}
			require.NoError(t, call(t, thread, "linear/float32", a))
			return dst
		})
	}
}

// activationSlopes returns the gradient of a sum, whose activation has the given result.
func activationSlopes(t *testing.T, activation int64, result, up device.View) device.View {
	if activation == LinearPlain {
		return up
	}
	slopes := newView(random(), dtype.Float32, up.Shape, rowMajor)
	run(t, "relu_gradient/float32", &device.Arguments{Outputs: views(slopes), Inputs: views(result, up)})
	return slopes
}

// sumOfBlocks returns the sums of the columns of x, those of the blocks that package gemm cuts rows into first.
func sumOfBlocks(t *testing.T, x device.View) device.View {
	r, columns := random(), x.Shape[1]
	blocks := gemm.Blocks(x.Shape[0])
	sums, total := newView(r, dtype.Float32, []int{blocks, columns}, rowMajor), newView(r, dtype.Float32, []int{columns}, rowMajor)
	for b := range blocks {
		to := rowsOf(sums, b, b+1)
		to.Shape, to.Strides = to.Shape[1:], to.Strides[1:]
		part := rowsOf(x, gemm.BlockEnd(x.Shape[0], b-1), gemm.BlockEnd(x.Shape[0], b))
		run(t, "sum/float32", &device.Arguments{Outputs: views(to), Inputs: views(swapped(part)), Integers: []int64{1}})
	}
	run(t, "sum/float32", &device.Arguments{Outputs: views(total), Inputs: views(swapped(sums)), Integers: []int64{1}})
	return total
}

func TestLinearGradientEqualsTheOperatorsItIsMadeOf(t *testing.T) {
	r := random()
	for _, shape := range [][3]int{{40, 70, 50}, {513, 7, 9}, {1100, 30, 20}, {10 * 512, 3, 5}, {1024, 1, 1}} {
		rows, inputs, outputs := shape[0], shape[1], shape[2]
		for _, how := range []layout{rowMajor, scattered, broadcast} {
			matrix := func(rows, columns int, how layout) device.View {
				return newFilled(r, []int{rows, columns}, how, finite[float32])
			}
			x, weight, result, up := matrix(rows, inputs, how), matrix(inputs, outputs, how), matrix(rows, outputs, how), matrix(rows, outputs, how)
			for _, activation := range []int64{LinearPlain, LinearRelu} {
				slopes := activationSlopes(t, activation, result, up)
				want := views(newView(r, dtype.Float32, weight.Shape, rowMajor), sumOfBlocks(t, slopes), newView(r, dtype.Float32, x.Shape, rowMajor))
				run(t, "matmul/float32", &device.Arguments{Outputs: want[:1], Inputs: views(swapped(x), slopes)})
				run(t, "matmul/float32", &device.Arguments{Outputs: want[2:], Inputs: views(slopes, swapped(weight))})
				for _, to := range []layout{rowMajor, scattered} {
					got := views(newView(r, dtype.Float32, weight.Shape, to), newView(r, dtype.Float32, []int{outputs}, to), newView(r, dtype.Float32, x.Shape, to))
					for count := 2; count <= len(got); count++ {
						a := device.Arguments{Outputs: got[:count], Inputs: views(x, weight, result, up), Integers: []int64{activation}}
						run(t, "linear_gradient/float32", &a)
						for i := range count {
							requireEqual(t, elements[float32](want[i]), elements[float32](got[i]), shape, how, activation, to, i)
						}
						requireScratch(t, "linear_gradient/float32", a, LinearGradientScratch(a.Outputs, a.Inputs, activation))
					}
				}
			}
		}
	}
}

func TestLinearGradientDoesNotDependOnWorkers(t *testing.T) {
	r := random()
	matrix := func(rows, columns int) device.View {
		return newFilled(r, []int{rows, columns}, rowMajor, finite[float32])
	}
	shapes := [][3]int{{64, 64, 10}, {1300, 90, 70}, {64, 128, 64}, {200, 300, 250}}
	if testing.Short() {
		shapes = shapes[:2]
	}
	for _, shape := range shapes {
		rows, inputs, outputs := shape[0], shape[1], shape[2]
		x, weight, result, up := matrix(rows, inputs), matrix(inputs, outputs), matrix(rows, outputs), matrix(rows, outputs)
		for _, activation := range []int64{LinearPlain, LinearRelu} {
			for which := range 3 {
				sameBits[float32](t, func(thread *parallel.Thread) device.View {
					to := views(matrix(inputs, outputs), newView(r, dtype.Float32, []int{outputs}, rowMajor), matrix(rows, inputs))
					a := &device.Arguments{Outputs: to, Inputs: views(x, weight, result, up), Integers: []int64{activation}}
					require.NoError(t, call(t, thread, "linear_gradient/float32", a))
					return to[which]
				})
			}
		}
	}
}

// What is packed depends on the factor, and so does the memory that is borrowed for it.
func TestLinearTakesTheMemoryThatItsFactorNeeds(t *testing.T) {
	r := random()
	for _, turns := range []bool{false, true} {
		for _, alpha := range []float64{0, 0.5, 1} {
			for _, rows := range []int{1, 3, 16, 32, 200} {
				const inner, columns = 600, 1000
				x, addend := newFilled(r, []int{rows, inner}, rowMajor, finite[float32]), newFilled(r, []int{rows, columns}, rowMajor, finite[float32])
				weight := newFilled(r, []int{inner, columns}, rowMajor, finite[float32])
				if turns {
					weight = swapped(newFilled(r, []int{columns, inner}, rowMajor, finite[float32]))
				}
				output := newView(r, dtype.Float32, addend.Shape, rowMajor)
				a := device.Arguments{Outputs: views(output), Inputs: views(x, weight, addend), Integers: []int64{LinearPlain}, Scalars: []float64{alpha}}
				requireScratch(t, "linear/float32", a, LinearScratch(output, a.Inputs, alpha))
			}
		}
	}
}
