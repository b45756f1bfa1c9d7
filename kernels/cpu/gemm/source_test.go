package gemm

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/internal/features"
)

// halvesOf returns the memory of p in halves, which have the numbers of p from now on.
func halvesOf(p *placed[float32], source Source) []uint16 {
	memory := make([]uint16, len(p.memory))
	for i, v := range p.memory {
		if source == Float16 {
			half := dtype.ToF16(v)
			memory[i], p.memory[i] = uint16(half), half.Float32()
		} else {
			half := dtype.ToBF16(v)
			memory[i], p.memory[i] = uint16(half), half.Float32()
		}
	}
	return memory
}

func TestVectorsByHalvesHaveTheBitsOfThoseByWhatTheyAreCastTo(t *testing.T) {
	r := rand.New(rand.NewPCG(39, 40))
	checked := 0
	check := func(x *trial[float32], matrix *placed[float32], source Source) {
		memory := halvesOf(matrix, source)
		want, halves := x.run(t, pools[1].Thread()), *x
		const before = 3 // elements, of where the batch says that the matrix starts
		start := unsafe.Pointer(&memory[matrix.first-before])
		if matrix == x.a {
			halves.A.Start, halves.Offsets = start, func(int) (a, b, c int) { return before, 0, 0 }
		} else {
			halves.B.Start, halves.Offsets = start, func(int) (a, b, c int) { return 0, before, 0 }
		}
		halves.Source = source
		features.Each(func(level features.Level) {
			if reads := halves.ReadsSource(source); level != features.AVX512 || !reads {
				require.False(t, reads && level != features.AVX512)
				return
			}
			checked++
			for _, workers := range []int{1, 2, 8} {
				require.True(t, sameBits(want, halves.run(t, pools[workers].Thread())), "%v: %v", source, x)
			}
		})
	}
	for _, source := range []Source{Float16, BFloat16} {
		for _, size := range [][2]int{{2, 40}, {7, 100}, {8, 8}, {33, 45}, {129, 131}, {300, 513}, {1030, 300}, {133, 1300}, {2, 3000}} {
			for _, how := range []layout{dense, wide, turned, turnedWide, page, backwards, scattered} {
				n, k := size[0], size[1]
				if thin() && n*k > 10_000 {
					continue
				}
				x := newTrial(r, 1, n, k, factor[float32](r), factor[float32](r), [3]layout{anyLayouts(r)[0], how, dense})
				check(x, x.b, source)
				y := newTrial(r, n, 1, k, factor[float32](r), 0, [3]layout{how, dense, dense})
				check(y, y.a, source)
			}
		}
	}
	if features.Best == features.AVX512 {
		require.Greater(t, checked, 50)
	}
}

// Products of several rows pack B: in one part or several, for all units or each for itself.
func TestProductsByHalvesHaveTheBitsOfThoseByWhatTheyAreCastTo(t *testing.T) {
	r := rand.New(rand.NewPCG(43, 44))
	packed := packedBytes
	defer func() { packedBytes = packed }()
	checked := 0
	for _, source := range []Source{Float16, BFloat16} {
		for _, size := range [][3]int{{2, 16, 1}, {3, 17, 9}, {5, 33, 70}, {8, 300, 600}, {14, 64, 64}, {40, 161, 530}, {70, 130, 37}, {129, 257, 130}, {20, 40, 2100}, {300, 48, 520}} {
			for _, how := range []layout{dense, wide, page, backwards} {
				m, n, k := size[0], size[1], size[2]
				if thin() && m*n*k > 1_000_000 {
					continue
				}
				const count = 2
				layouts := anyLayouts(r)
				x := newTrial(r, m, n, k, factor[float32](r), factor[float32](r), [3]layout{layouts[0], how, dense})
				// The second product of the batch has its own B, a column further on, and adds to what is below C.
				x.b, x.c = newPlaced[float32](r, k, n+1, how).fill(func() float32 { return float32(r.NormFloat64()) }), newPlaced[float32](r, count*m, n, wide).fill(func() float32 { return float32(r.NormFloat64()) })
				x.B, x.C, x.start = x.b.Matrix, x.c.Matrix, x.c.elements()
				x.Count, x.Offsets = count, Strided(0, 1, m*x.C.RowStride)
				memory := halvesOf(x.b, source)
				halves := *x
				halves.B.Start, halves.Source = unsafe.Pointer(&memory[x.b.first]), source
				features.Each(func(level features.Level) {
					require.Equal(t, level == features.AVX512, x.ReadsSource(source), "%v %v", level, x)
					if level != features.AVX512 {
						return
					}
					checked++
					want := x.run(t, pools[1].Thread())
					for _, packedBytes = range []int{packed, 20_000} {
						for _, workers := range []int{1, 2, 8} {
							require.True(t, sameBits(want, halves.run(t, pools[workers].Thread())), "%v: %v", source, x)
							one := halves
							one.Count = 1
							require.True(t, sameBits(want[:m*n], one.run(t, pools[workers].Thread())[:m*n]), "%v: one %v", source, x)
						}
					}
				})
			}
		}
	}
	if features.Best == features.AVX512 {
		require.Greater(t, checked, 30)
	}
}

// Products of matrices whose elements are not adjacent as they are needed are not read from halves.
func TestOtherProductsAreNotReadFromHalves(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 42))
	for name, x := range map[string]*trial[float32]{
		"turned B":     newTrial[float32](r, 2, 20, 20, 1, 0, [3]layout{dense, turned, dense}),
		"15 columns":   newTrial[float32](r, 2, 15, 20, 1, 0, [3]layout{}),
		"turned C":     newTrial[float32](r, 2, 20, 20, 1, 0, [3]layout{dense, dense, turned}),
		"one element":  newTrial[float32](r, 1, 1, 20, 1, 0, [3]layout{}),
		"few columns":  newTrial[float32](r, 1, 7, 20, 1, 0, [3]layout{dense, turned, dense}),
		"no stride 1":  newTrial[float32](r, 1, 20, 20, 1, 0, [3]layout{dense, scattered, dense}),
		"gaps in C":    newTrial[float32](r, 1, 20, 20, 1, 0, [3]layout{dense, dense, turnedWide}),
		"a column's C": newTrial[float32](r, 20, 1, 20, 1, 0, [3]layout{dense, dense, wide}),
	} {
		require.False(t, x.ReadsSource(Float16), name)
	}
}
