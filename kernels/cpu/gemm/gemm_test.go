package gemm

import (
	"math"
	"math/rand/v2"
	"sync"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/kernels/cpu/internal/features"
	"github.com/weft-nd/weft/parallel"
)

// thin tells that fewer products are to do.
func thin() bool { return testing.Short() || racing }

func checkSmall[T Float](t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for m := range 71 {
		for _, n := range []int{m, r.IntN(71), r.IntN(8)} {
			if thin() && m > 20 && m%7 != 0 {
				continue
			}
			newTrial(r, m, n, r.IntN(71), factor[T](r), factor[T](r), anyLayouts(r)).checkEverywhere(t)
		}
	}
}

func TestSmallProductsEqualTheDefinition(t *testing.T) {
	checkSmall[float32](t)
	checkSmall[float64](t)
}

func checkAny[T Float](t *testing.T, most int) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 12 {
		newTrial(r, r.IntN(most), r.IntN(most), r.IntN(most), factor[T](r), factor[T](r), anyLayouts(r)).checkEverywhere(t)
	}
	// Few rows by many columns that must be packed, which every unit of work does for itself.
	newTrial[T](r, 16, 400, 200, 1, 0.5, [3]layout{dense, turned, dense}).checkEverywhere(t)
	// Several panels of rows that are far apart, which every unit of work packs together, of two blocks of k.
	newTrial[T](r, 20, 330, 530, 1, 0.5, [3]layout{dense, page, dense}).checkEverywhere(t)
	// Columns that are packed from the last one in memory to the first: addresses beside a matrix are those of other objects.
	newTrial[T](r, 300, 60, 64, 1, 0.5, [3]layout{backwards, dense, turned}).checkEverywhere(t)
	// Adjacent columns of A that every unit packs for itself, of one block of k and of two.
	newTrial[T](r, 517, 33, 130, 1, 0.5, [3]layout{turned, dense, dense}).checkEverywhere(t)
	if !thin() {
		newTrial[T](r, 123, 70, 600, 1, 0.5, [3]layout{turnedWide, dense, wide}).checkEverywhere(t)
	}
}

// checkExtents lets each extent be everything up to 300, so that every remainder by the sides of tiles and blocks is met, beside small ones.
func checkExtents[T Float](t *testing.T) {
	r := rand.New(rand.NewPCG(31, 32))
	step := 1
	if thin() {
		step = 29
	}
	for size := 0; size <= 300; size += step {
		few, some := 1+size%13, 1+size%17
		for _, extents := range [][3]int{{size, few, some}, {some, size, few}, {few, some, size}} {
			newTrial(r, extents[0], extents[1], extents[2], factor[T](r), factor[T](r), anyLayouts(r)).checkEverywhere(t)
		}
	}
}

func TestProductsOfAllExtentsEqualTheDefinition(t *testing.T) {
	checkExtents[float32](t)
	checkExtents[float64](t)
}

func TestProductsEqualTheDefinition(t *testing.T) {
	most := 300
	if thin() {
		most = 90
	}
	checkAny[float32](t, most)
	checkAny[float64](t, most)
}

// What is divided along k has the bits of a product that is not, because it has one column more.
func TestProductsDividedAlongKHaveTheBitsOfOthers(t *testing.T) {
	r := rand.New(rand.NewPCG(29, 30))
	for _, size := range [][3]int{{9, splitSide, 1540}, {5, 2, 1600}, {1, 3, 2500}, {17, 20, 1700}} {
		m, n, k := size[0], size[1], size[2]
		for _, how := range [][3]layout{{dense, dense, dense}, {turned, turned, turned}, {scattered, wide, wide}} {
			if thin() && m > 5 {
				continue
			}
			x := newTrial(r, m, n, k, factor[float32](r), factor[float32](r), how)
			x.checkEverywhere(t)
			wide := newTrial(r, m, splitSide+1, k, x.Alpha, x.Beta, how)
			wide.A = x.A
			for column := range n {
				for i := range k {
					*wide.b.at(i, column) = *x.b.at(i, column)
				}
				for i := range m {
					wide.start[i*(splitSide+1)+column] = x.start[i*n+column]
				}
			}
			got, want := x.run(t, pools[2].Thread()), wide.run(t, pools[2].Thread())
			for i := range m {
				require.True(t, sameBits(want[i*(splitSide+1):][:n], got[i*n:][:n]), "row %d of %v", i, x)
			}
		}
	}
}

// What several threads divide along k and into columns has the bits of the whole product, which a single thread computes.
func TestProductsDividedAlongKAndColumnsHaveTheBitsOfOthers(t *testing.T) {
	r := rand.New(rand.NewPCG(33, 34))
	for _, size := range [][3]int{{64, 128, 784}, {8, 65, 513}, {70, 9, 1100}, {100, 160, 1540}} {
		m, n, k := size[0], size[1], size[2]
		if thin() && m > 8 {
			continue
		}
		for _, how := range [][3]layout{{dense, dense, dense}, {turned, turned, turned}, {wide, dense, wide}} {
			x := newTrial(r, m, n, k, factor[float32](r), factor[float32](r), how)
			plus := newPlaced[float32](r, m, n, dense).fill(func() float32 { return float32(r.NormFloat64()) })
			x.Finish = Finish[float32]{Plus: [2]Matrix{{unsafe.Pointer(plus.at(0, 0)), plus.RowStride, plus.ColumnStride}, {unsafe.Pointer(plus.at(0, 0)), 0, 1}}, Rectify: true}
			x.Weight = true
			require.True(t, x.splitsColumns(), "%v", x)
			want := x.run(t, pools[1].Thread())
			for _, workers := range []int{2, 8} {
				require.True(t, sameBits(want, x.run(t, pools[workers].Thread())), "%v", x)
			}
		}
	}
}

// Blocks of every kind are seen only beyond some megabytes; here the limits are lower.
func TestProductsOfManyBlocksEqualTheDefinition(t *testing.T) {
	packed, direct, turns := packedBytes, directBytes, turnedBytes
	defer func() { packedBytes, directBytes, turnedBytes = packed, direct, turns }()
	r := rand.New(rand.NewPCG(5, 6))
	turnedBytes = 0
	for _, packedBytes = range []int{1, 100_000, 1_000_000} {
		for i, how := range []layout{dense, turned, scattered} {
			if thin() && packedBytes != []int{1, 100_000, 1_000_000}[i] {
				continue
			}
			directBytes = 0
			newTrial(r, 50, 40, 270, -1.5, 0.5, [3]layout{how, dense, dense}).checkEverywhere(t)
			newTrial(r, 250, 40, 7, float32(1.5), 0.5, [3]layout{how, scattered, turned}).checkEverywhere(t)
			directBytes = r.IntN(100_000)
			newTrial(r, 470, 70, 9, float32(1.5), 0.5, [3]layout{how, turned, dense}).checkEverywhere(t)
		}
		if thin() {
			continue
		}
		newTrial(r, 230, 40, 520, float32(1.5), 0.5, anyLayouts(r)).checkEverywhere(t)
	}
}

func checkBatches[T Float](t *testing.T) {
	packed := packedBytes
	defer func() { packedBytes = packed }()
	r := rand.New(rand.NewPCG(7, 8))
	for _, packedBytes = range []int{packed, packed, 10_000} {
		for _, how := range [][3]layout{{dense, dense, dense}, {turned, dense, turned}, {dense, turned, dense}, {page, page, wide}, {dense, dense, turned}} {
			const count = 5
			m, n, k := 1+r.IntN(40), 1+r.IntN(40), 1+r.IntN(40)
			one := newTrial[T](r, m, n, k, 1.5, 0.5, how)
			if r.IntN(2) == 0 {
				one.Finish.Plus[0] = newPlaced[T](r, m, n, dense).fill(func() T { return T(r.NormFloat64()) }).Matrix
				one.Finish.Rectify = true
			}
			// The products of a batch have one A, and each a B and a C.
			b, c := newPlaced[T](r, k*count, n, how[1]), newPlaced[T](r, m*count, n, how[2])
			fill := func() T { return T(r.NormFloat64()) }
			b.fill(fill)
			c.fill(fill)
			old := c.elements()
			batch := one.Product
			batch.B, batch.C, batch.Count = b.Matrix, c.Matrix, count
			batch.Offsets = Strided(0, k*b.RowStride, m*c.RowStride)
			features.Each(func(level features.Level) {
				for _, workers := range []int{1, 2, 8} {
					next := 0
					c.fill(func() T { next++; return old[next-1] })
					batch.Run(pools[workers].Thread(), nil)
					c.requireGuarded(t)
					got := c.elements()
					for i := range count {
						for row := range k {
							for column := range n {
								*one.b.at(row, column) = *b.at(i*k+row, column)
							}
						}
						one.start = old[i*m*n : (i+1)*m*n]
						if !sameBits(one.run(t, parallel.Serial()), got[i*m*n:(i+1)*m*n]) {
							require.Failf(t, "differs", "product %d, %v, %d workers, %v", i, level, workers, one)
						}
					}
				}
			})
		}
	}
}

func TestDotProductsEqualTheDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 18))
	for _, k := range []int{1, 7, 8, 9, 64, 1000, 1003} {
		for _, how := range []layout{dense, turned, scattered} {
			newTrial(r, 1, 1, k, factor[float32](r), factor[float32](r), [3]layout{how, how, dense}).checkEverywhere(t)
			newTrial(r, 1, 1, k, factor[float64](r), factor[float64](r), [3]layout{how, dense, dense}).checkEverywhere(t)
		}
	}
	for _, k := range []int{dotBlock, dotBlock + 1, 3*dotBlock - 5} {
		newTrial[float32](r, 1, 1, k, 1.7, 0.5, [3]layout{dense, dense, dense}).checkEverywhere(t)
		x := newTrial[float64](r, 3, 1, k, 1.5, 0.5, [3]layout{wide, dense, wide})
		x.M, x.Count, x.Offsets = 1, 3, Strided(x.A.RowStride, 0, x.C.RowStride)
		got := x.run(t, pools[2].Thread())
		x.M = 3
		x.check(t, got)
	}
	const count = 700
	x := newTrial[float64](r, count, 1, 90, 1.5, 0.5, [3]layout{wide, dense, wide})
	x.M, x.Count, x.Offsets = 1, count, Strided(x.A.RowStride, 0, x.C.RowStride)
	got := x.run(t, pools[2].Thread())
	x.M = count
	x.check(t, got)
}

func TestBatchesEqualTheirProducts(t *testing.T) {
	checkBatches[float32](t)
	checkBatches[float64](t)
}

// The extremes meet each other and zeros: what is infinite or NaN in the definition is so in the result, and signs of zero and
// subnormal numbers are the same everywhere.
func TestExtremesAreThoseOfTheDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	special := []float32{0, float32(math.Copysign(0, -1)), 1, -1, 1e-30, -1e-20, 0x1p-149, 3e30, float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN())}
	for round := range 40 {
		kinds := len(special)
		if round%2 == 0 {
			kinds = 7 // no overflow
		}
		newTrialOf(r, r.IntN(20), r.IntN(40), r.IntN(12), factor[float32](r), factor[float32](r), anyLayouts(r), func() float32 {
			return special[r.IntN(kinds)]
		}).checkBits(t)
		newTrialOf(r, r.IntN(20), r.IntN(40), r.IntN(12), factor[float64](r), factor[float64](r), anyLayouts(r), func() float64 {
			return float64(special[r.IntN(kinds)])
		}).checkEverywhere(t)
	}
}

// What is not to be read may be NaN.
func TestUnreadOperandsMayBeNaN(t *testing.T) {
	nan := float32(math.NaN())
	for _, size := range []int{1, 5, 33, 70} {
		r := rand.New(rand.NewPCG(11, uint64(size)))
		features.Each(func(features.Level) {
			x := newTrial[float32](r, size, size, size, 1, 0, anyLayouts(r))
			for i := range x.start {
				x.start[i] = nan
			}
			x.check(t, x.run(t, pools[2].Thread()))
			x = newTrial[float32](r, size, size, size, 0, 2, anyLayouts(r))
			x.a.fill(func() float32 { return nan })
			x.check(t, x.run(t, pools[2].Thread()))
			x = newTrial[float32](r, size, size, size, 0, 0, anyLayouts(r))
			x.start[0] = nan
			x.b.fill(func() float32 { return nan })
			x.check(t, x.run(t, pools[2].Thread()))
		})
	}
}

func TestProductsAllocateNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	thread := pools[2].Thread()
	_, err := thread.SetChunkSize(3)
	require.NoError(t, err)
	for _, how := range [][3]layout{{dense, dense, dense}, {page, turned, dense}} {
		x := newTrial[float32](r, 70, 90, 80, 1, 1, how)
		memory := make([][8]uint64, x.Scratch()/64+1)
		allocations := testing.AllocsPerRun(50, func() { x.Run(thread, unsafe.Pointer(&memory[0])) })
		require.True(t, allocations == 0 || racing, "%v allocations", allocations)
	}
	x := newTrial[float32](r, 32, 90, 300, 1, 0, [3]layout{dense, turned, dense}) // exchanged
	allocations := testing.AllocsPerRun(50, func() { x.Run(thread, nil) })
	require.True(t, allocations == 0 || racing, "%v allocations", allocations)
	require.Equal(t, 3, thread.ChunkSize(), "the schedule of the caller is as it was")
}

func TestProductsRunAtTheSameTime(t *testing.T) {
	var group sync.WaitGroup
	for i := range 6 {
		group.Go(func() {
			r := rand.New(rand.NewPCG(15, uint64(i)))
			thread := pools[2].Thread()
			for range 10 {
				x := newTrial[float64](r, r.IntN(100), r.IntN(100), r.IntN(100), 1, 1, anyLayouts(r))
				x.check(t, x.run(t, thread))
			}
		})
	}
	group.Wait()
}

// What products are computed with is used again, and little ones set but a part of it.
func TestProductsKeepNothingOfTheOneBefore(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 18))
	for _, before := range [][3]layout{{turned, dense, dense}, {page, page, dense}, {dense, turned, dense}, {scattered, scattered, dense}} {
		for _, pool := range pools {
			x := newTrial[float32](r, 520, 70, 300, 1, 1, before)
			for range 3 {
				x.run(t, pool.Thread())
				little := newTrial[float32](r, 7, 9, 5, 1, 1, [3]layout{dense, dense, dense})
				little.check(t, little.run(t, pool.Thread()))
			}
		}
	}
}
