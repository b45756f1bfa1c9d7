package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/internal/features"
	"github.com/weft-nd/weft/kernels/cpu/internal/levelstest"
)

// rowCalls call each loop on three operands, and a result and sums that have contents before.
func rowCalls[T dtype.Float]() map[string]func(l *rowLoops[T], dst, x, y, z []T, sums *laneSums) {
	p := &[6]T{1.25, 1e-5, 0.75, -0.3, 0.21, 1.1}
	steps := &updateCoefficients[T]{0.01, 0.9, 0.1, 0.99, 0.01, 0.3, 1.7, 1e-3, 0.95}
	type call = func(l *rowLoops[T], dst, x, y, z []T, sums *laneSums)
	return map[string]call{
		"largest": func(l *rowLoops[T], dst, x, _, _ []T, _ *laneSums) { dst[0] = l.largest(&x[0], len(x)) },
		"exponentials": func(l *rowLoops[T], dst, x, _, _ []T, _ *laneSums) {
			l.exponentials(&dst[0], &upTo(x, 0.5)[0], len(x), 0.5)
		},
		"multiply": func(l *rowLoops[T], dst, x, _, _ []T, _ *laneSums) { l.multiply(&dst[0], &x[0], len(x), 0.3) },
		"subtract": func(l *rowLoops[T], dst, x, _, _ []T, _ *laneSums) { l.subtract(&dst[0], &x[0], len(x), 0.3, 7) },
		"softmaxSlope": func(l *rowLoops[T], dst, x, y, _ []T, _ *laneSums) {
			l.softmaxSlope(&dst[0], &x[0], &y[0], len(x), 0.3)
		},
		"logSoftmaxSlope": func(l *rowLoops[T], dst, x, y, _ []T, _ *laneSums) {
			l.logSoftmaxSlope(&dst[0], &x[0], &y[0], len(x), 0.3)
		},
		"totals": func(l *rowLoops[T], _, _, _, _ []T, sums *laneSums) { sums[30], sums[31] = l.totals(sums) },
		"sum":    func(l *rowLoops[T], _, x, _, _ []T, sums *laneSums) { sums[0] = l.sum(&x[0], len(x)) },
		"momentsFrom": func(l *rowLoops[T], _, x, y, _ []T, sums *laneSums) {
			sums[0], sums[1] = l.momentsFrom(&x[0], len(x), y[0])
		},
		"slopesFrom": func(l *rowLoops[T], _, x, y, z []T, sums *laneSums) {
			sums[0], sums[1] = l.slopesFrom(&x[0], &y[0], &z[0], len(x), x[0])
		},
		"dot":            func(l *rowLoops[T], _, x, y, _ []T, sums *laneSums) { sums[0] = l.dot(&x[0], &y[0], len(x)) },
		"shiftedMoments": func(l *rowLoops[T], _, x, _, _ []T, sums *laneSums) { l.shiftedMoments(&x[0], len(x), 0.7, sums) },
		"products":       func(l *rowLoops[T], _, x, y, _ []T, sums *laneSums) { l.products(&x[0], &y[0], len(x), 0.7, sums) },
		"scaledProducts": func(l *rowLoops[T], _, x, y, z []T, sums *laneSums) {
			l.scaledProducts(&x[0], &y[0], &z[0], len(x), 0.7, sums)
		},
		"affine": func(l *rowLoops[T], dst, x, _, _ []T, _ *laneSums) { l.affine(&dst[0], &x[0], len(x), p) },
		"scaled": func(l *rowLoops[T], dst, x, y, _ []T, _ *laneSums) { l.scaled(&dst[0], &x[0], &y[0], len(x), p) },
		"scaledAffine": func(l *rowLoops[T], dst, x, y, z []T, _ *laneSums) {
			l.scaledAffine(&dst[0], &x[0], &y[0], &z[0], len(x), p)
		},
		"affineSlope": func(l *rowLoops[T], dst, x, y, _ []T, _ *laneSums) { l.affineSlope(&dst[0], &x[0], &y[0], len(x), p) },
		"scaledSlope": func(l *rowLoops[T], dst, x, y, z []T, _ *laneSums) {
			middle := len(dst) / 2
			l.scaledSlope(&dst[0], &x[0], &y[0], &z[0], &dst[middle], &dst[middle+middle/2], len(x), p)
		},
		"sgd": func(l *rowLoops[T], dst, x, _, _ []T, _ *laneSums) {
			l.sgd(&dst[0], &dst[len(dst)/2], &x[0], len(x), steps)
		},
		"adam": func(l *rowLoops[T], dst, x, _, _ []T, _ *laneSums) {
			l.adam(&dst[0], &dst[len(dst)/2], &dst[len(dst)*3/4], &x[0], len(x), steps)
		},
		"rmsprop": func(l *rowLoops[T], dst, x, _, _ []T, _ *laneSums) {
			l.rmsprop(&dst[0], &dst[len(dst)/2], &dst[len(dst)*3/4], &x[0], len(x), steps)
		},
		"tanhSlopes": func(l *rowLoops[T], dst, x, y, _ []T, _ *laneSums) {
			l.tanhSlopes(&dst[0], &dst[len(dst)/2], &x[0], &y[0], len(x))
		},
		"gruSums": func(l *rowLoops[T], dst, x, y, _ []T, _ *laneSums) {
			l.gruSums(&dst[0], &dst[len(dst)/2], &x[0], &y[0], len(x))
		},
		"gruState": func(l *rowLoops[T], dst, x, y, _ []T, _ *laneSums) {
			l.gruState(&dst[0], &x[0], &y[0], len(x))
		},
		"gruSlopes": func(l *rowLoops[T], dst, x, y, z []T, _ *laneSums) {
			n := len(x)
			gates, ofGates := slices.Concat(x, y, z, x), slices.Concat(z, x, y, z)
			results, ofInner, carried := make([]T, 3*n+1), make([]T, n+1), append(slices.Clone(y), 5)
			l.gruSlopes(&results[0], &ofInner[0], &carried[0], &gates[0], &ofGates[0], &z[0], &x[0], n)
			copy(dst, slices.Concat(results, ofInner, carried))
		},
		"lstmCell": func(l *rowLoops[T], dst, x, y, z []T, _ *laneSums) {
			gates := slices.Concat(x, y, z, x)
			l.lstmCell(&dst[0], &gates[0], len(x))
		},
		"lstmSlopes": func(l *rowLoops[T], dst, x, y, z []T, _ *laneSums) {
			n := len(x)
			gates, ofGates := slices.Concat(x, y, z, x), slices.Concat(z, x, y, z)
			results, carried, cell := make([]T, 4*n+1), append(slices.Clone(y), 5), append(slices.Clone(x), 7)
			l.lstmSlopes(&results[0], &carried[0], &cell[0], &gates[0], &ofGates[0], &z[0], &y[0], &x[0], &z[0], n)
			copy(dst, slices.Concat(results, carried, cell))
		},
	}
}

// upTo returns x with nothing above most.
func upTo[T dtype.Float](x []T, most T) []T {
	for i, v := range x {
		if v > most {
			x[i] = most
		}
	}
	return x
}

// plain returns v with the same bits for each NaN.
func plain[T dtype.Float](v T) T {
	if v != v {
		return T(math.NaN())
	}
	return v
}

func checkRowLoops[T dtype.Float](t *testing.T, counts []int, value func(r *rand.Rand) T) {
	const margin, canary = 19, 77
	for name, run := range rowCalls[T]() {
		r := random()
		for _, count := range counts {
			memory := make([]T, 3*(count+8))
			for i := range memory {
				memory[i] = value(r)
			}
			at := func(i int) []T { return memory[i*(count+8)+count%5:][:count] }
			var want []T
			var wantSums laneSums
			features.Each(func(level features.Level) {
				dst := make([]T, 6*(count+margin)+4)
				for i := range dst {
					dst[i] = canary
				}
				sums := laneSums{}
				for i := range sums {
					sums[i] = float64(i)
				}
				run(rowLoopsOf[T](), dst[count%3:], at(0), at(1), at(2), &sums)
				for i := range dst {
					dst[i] = plain(dst[i])
				}
				for i := range sums {
					sums[i] = plain(sums[i])
				}
				if level == features.Portable {
					want, wantSums = dst, sums
					return
				}
				require.True(t, slices.Equal(levelstest.Words(want), levelstest.Words(dst)), "%s of %d elements on %v", name, count, level)
				require.True(t, slices.Equal(levelstest.Words(wantSums[:]), levelstest.Words(sums[:])), "%s of %d elements on %v", name, count, level)
			})
		}
	}
}

func TestRowLoopsHaveEqualBitsAtAllLevels(t *testing.T) {
	var counts []int
	for n := 1; n <= 300; n++ {
		counts = append(counts, n)
	}
	checkRowLoops(t, counts, func(r *rand.Rand) float32 { return float32(r.NormFloat64() * 3) })
	checkRowLoops(t, counts, func(r *rand.Rand) float64 { return r.NormFloat64() * 3 })
	awkward := []int{1, 3, 17, 33, 100}
	checkRowLoops(t, awkward, func(r *rand.Rand) float32 { return math.Float32frombits(r.Uint32()) })
	checkRowLoops(t, awkward, func(r *rand.Rand) float64 { return math.Float64frombits(r.Uint64()) })
}

func TestJointLoopsAddWhatSeparateOnesDo(t *testing.T) {
	l := rowLoopsOf[float32]()
	if l.jointProducts == nil {
		t.Skip("this processor has none")
	}
	r := random()
	for count := 1; count <= 300; count++ {
		x, y, scale := make([]float32, count), make([]float32, count), make([]float32, count)
		for i := range x {
			x[i], y[i], scale[i] = float32(r.NormFloat64()), float32(r.NormFloat64()), float32(r.NormFloat64())
		}
		var moments, products laneSums
		l.shiftedMoments(&x[0], count, 0, &moments)
		l.products(&x[0], &y[0], count, 0, &products)
		var some, more laneSums
		l.jointProducts(&x[0], &y[0], count, &some, &more)
		require.Equal(t, [2]laneSums{moments, products}, [2]laneSums{some, more}, "%d elements", count)
		var want, got [4]float64
		want[0], want[2] = l.momentsFrom(&x[0], count, y[0])
		want[1], want[3] = l.slopesFrom(&x[0], &y[0], &scale[0], count, y[0])
		got[0], got[1], got[2], got[3] = l.jointFrom(&x[0], &y[0], &scale[0], count, y[0])
		require.Equal(t, want, got, "%d elements", count)
	}
}

func TestSlopesOfTwoRowsAreThoseOfOneAfterTheOther(t *testing.T) {
	features.Each(func(level features.Level) {
		if level != features.Portable {
			checkSlopesOfTwoRows[float32](t)
			checkSlopesOfTwoRows[float64](t)
		}
	})
}

func checkSlopesOfTwoRows[T dtype.Float](t *testing.T) {
	l, size := rowLoopsOf[T](), dtype.Of[T]().Size()
	p := &[2][6]T{{1.25, 1e-5, 0.75, -0.3, 0.21}, {-0.5, 2e-5, 1.75, 0.4, -0.33}}
	for count := 1; count <= 100; count++ {
		stride := count + count%3
		compute := func(body func(dst, x, u, scale, scaleSlope, biasSlope *T)) []T {
			r := random()
			memory := make([]T, 6*stride+3*(count+1)) // dst, x and u have two rows each
			for i := range memory {
				memory[i] = T(r.NormFloat64())
			}
			vectors := memory[6*stride:]
			body(&memory[0], &memory[2*stride], &memory[4*stride], &vectors[0], &vectors[count+1], &vectors[2*count+2])
			return memory
		}
		want := compute(func(dst, x, u, scale, scaleSlope, biasSlope *T) {
			for i := range p {
				row := func(start *T) *T { return (*T)(unsafe.Add(unsafe.Pointer(start), i*size*stride)) }
				l.scaledSlope(row(dst), row(x), row(u), scale, scaleSlope, biasSlope, count, &p[i])
			}
		})
		got := compute(func(dst, x, u, scale, scaleSlope, biasSlope *T) {
			l.scaledSlopes(dst, x, u, scale, scaleSlope, biasSlope, size*stride, count, p)
		})
		requireEqual(t, want, got, count)
	}
}

func TestErrorsOfSumsDoNotGrowWithTheRow(t *testing.T) {
	const unit = 1.0 / (1 << 24) // of rounding a float32
	r, l := random(), rowLoopsOf[float32]()
	for _, count := range []int{1, 64, 1000, 1 << 20} {
		x, y := make([]float32, count), make([]float32, count)
		sum, dot := 0.0, 0.0
		for i := range x {
			x[i], y[i] = r.Float32(), r.Float32()
			sum += float64(x[i])
			dot += float64(x[i]) * float64(y[i])
		}
		require.InDelta(t, sum, l.sum(&x[0], count), 3.01*unit*sum, "%d elements", count)
		require.InDelta(t, dot, l.dot(&x[0], &y[0], count), 5.01*unit*dot, "%d elements", count)
	}
}

func BenchmarkRowLoops(b *testing.B) {
	const count = 1024
	benchmarkRowLoops[float32](b, count)
	benchmarkRowLoops[float64](b, count)
}

func benchmarkRowLoops[T dtype.Float](b *testing.B, count int) {
	for name, run := range rowCalls[T]() {
		dst, x, y, z := make([]T, 4*count), make([]T, count), make([]T, count), make([]T, count)
		features.Each(func(level features.Level) {
			b.Run(fmt.Sprintf("%s/%T/%v", name, x[0], level), func(b *testing.B) {
				var sums laneSums
				for b.Loop() {
					run(rowLoopsOf[T](), dst, x, y, z, &sums)
				}
			})
		})
	}
}
