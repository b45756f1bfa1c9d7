package gemm

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/kernels/cpu/internal/features"
)

// flushed is x, or zero if x is subnormal.
func flushed(x float32) float32 {
	if math.Abs(float64(x)) < 0x1p-126 {
		return float32(math.Copysign(0, float64(x)))
	}
	return x
}

// flushedFMA is x*y + z rounded once, or zero if the rounded value is less than the smallest normal number.
func flushedFMA(x, y, z float32) float32 {
	if sum := toOdd(float64(x)*float64(y), float64(z)); math.Abs(sum) < 0x1p-126-0x1p-151 {
		return float32(math.Copysign(0, sum))
	}
	return exact32(x, y, z)
}

// dotBFloat16 is an element of a product as the instructions compute it (Intel, "64 and IA-32 Architectures Software Developer's Manual",
// volume 2): subnormal numbers are zero.
func dotBFloat16(k int, term func(i int) (x, y float32)) float32 {
	next := func(sum float32, i int) float32 {
		if i >= k {
			return flushedFMA(0, 0, sum)
		}
		x, y := term(i)
		return flushedFMA(flushed(x), flushed(y), sum)
	}
	if features.HasMatrixUnit() {
		return dotTDPBF16PS(k, next)
	}
	return dotVDPBF16PS(k, next)
}

// dotTDPBF16PS has for each 32 terms two chains of fused multiply-adds, of the even terms and of the odd ones, whose sum is added to what
// there is.
func dotTDPBF16PS(k int, next func(sum float32, i int) float32) (sum float32) {
	for first := 0; first < k; first += 32 {
		var chains [2]float32
		for i := first; i < min(k, first+32); i++ {
			chains[i%2] = next(chains[i%2], i)
		}
		sum = flushed(sum + flushed(chains[0]+chains[1]))
	}
	return sum
}

// dotVDPBF16PS has for each block of k a chain of fused multiply-adds, of each pair of terms the odd one first.
func dotVDPBF16PS(k int, next func(sum float32, i int) float32) (sum float32) {
	pairs := (k + 1) / 2
	for block := range Blocks(pairs) {
		chain := float32(0)
		for pair := BlockEnd(pairs, block-1); pair < BlockEnd(pairs, block); pair++ {
			chain = next(next(chain, 2*pair+1), 2*pair)
		}
		if sum += chain; block == 0 {
			sum = chain
		}
	}
	return sum
}

// roundBFloat16 is the nearest bfloat16, to even if it is a tie.
func roundBFloat16(x float32) uint16 {
	bits := math.Float32bits(x)
	return uint16((bits + 0x7fff + bits>>16&1) >> 16)
}

func fromBFloat16(x uint16) float32 { return math.Float32frombits(uint32(x) << 16) }

// newHalves returns a matrix of bfloat16 in memory of its own, by rows, by columns, or with gaps.
func newHalves(r *rand.Rand, rows, columns int, value func() uint16) (m Matrix, at func(i, j int) *uint16) {
	m = Matrix{RowStride: max(1, columns), ColumnStride: 1}
	switch r.IntN(4) {
	case 0:
		m.RowStride, m.ColumnStride = 1, max(1, rows)
	case 1:
		m.RowStride, m.ColumnStride = 2*columns+3, 2
	case 2:
		m.RowStride = columns + 5
	}
	memory := make([]uint16, 1+rows*m.RowStride+columns*m.ColumnStride)
	for i := range memory {
		memory[i] = value()
	}
	m.Start = unsafe.Pointer(&memory[0])
	return m, func(i, j int) *uint16 { return &memory[i*m.RowStride+j*m.ColumnStride] }
}

func checkBFloat16(t *testing.T, r *rand.Rand, m, n, k int, value func() uint16) {
	a, atA := newHalves(r, m, k, value)
	b, atB := newHalves(r, k, n, value)
	wide, halves := make([]float32, m*n+1), make([]uint16, m*n+1)
	wide[m*n], halves[m*n] = canary, canary
	single := BFloat16Product{M: m, N: n, K: k, A: a, B: b, C: Matrix{unsafe.Pointer(&wide[0]), n, 1}, Single: true}
	rounded := single
	rounded.C.Start, rounded.Single = unsafe.Pointer(&halves[0]), false
	if r.IntN(2) == 0 {
		single.C.RowStride, single.C.ColumnStride = 1, m
		rounded.C = Matrix{rounded.C.Start, 1, m}
	}
	dots := make([]float32, 0, m*n)
	for i := range m {
		for j := range n {
			dots = append(dots, dotBFloat16(k, func(l int) (x, y float32) { return fromBFloat16(*atA(i, l)), fromBFloat16(*atB(l, j)) }))
		}
	}
	for _, workers := range []int{1, 2, 8} {
		memory := make([][8]uint64, single.Scratch()/64+1)
		for i := range memory {
			memory[i] = [8]uint64{math.MaxUint64, math.MaxUint64} // NaN
		}
		single.Run(pools[workers].Thread(), unsafe.Pointer(&memory[0]))
		rounded.Run(pools[workers].Thread(), nil)
		for i := range m {
			for j := range n {
				want, at := dots[i*n+j], i*single.C.RowStride+j*single.C.ColumnStride
				if want != want {
					require.True(t, wide[at] != wide[at] && math.IsNaN(float64(fromBFloat16(halves[at]))))
				} else if math.Float32bits(want) != math.Float32bits(wide[at]) || roundBFloat16(flushed(want)) != halves[at] {
					require.Failf(t, "other bits", "%d workers, %d×%d×%d at %d, %d: want %v, got %v and %#x", workers, m, n, k, i, j, want, wide[at], halves[at])
				}
			}
		}
		require.EqualValues(t, canary, wide[m*n])
		require.EqualValues(t, canary, halves[m*n])
	}
}

// withBFloat16 calls test with each kind of instructions for bfloat16 that there are.
func withBFloat16(t *testing.T, test func()) {
	if !HasBFloat16() {
		t.Skip("neither AMX nor AVX512_BF16")
	}
	features.EachNarrow(func() {
		if HasBFloat16() {
			test()
		}
	})
}

func TestProductsOfBFloat16AreThoseOfTheirInstruction(t *testing.T) {
	withBFloat16(t, func() { checkInstruction(t) })
}

func checkInstruction(t *testing.T) {
	before := packedBytes
	defer func() { packedBytes = before }()
	r := rand.New(rand.NewPCG(31, 32))
	values := []func() uint16{
		func() uint16 { return roundBFloat16(float32(r.NormFloat64())) },
		func() uint16 { return roundBFloat16(float32(math.Ldexp(r.NormFloat64(), r.IntN(20)-73))) }, // around the smallest products
		func() uint16 { return uint16(r.Uint32()) },
	}
	most, rounds := 100, 20
	if thin() {
		most, rounds = 50, 6
	}
	for _, value := range values {
		for range rounds {
			checkBFloat16(t, r, r.IntN(most), r.IntN(most), r.IntN(most), value)
		}
		for _, c := range wholeSteps {
			for range rounds / 6 {
				checkBFloat16(t, r, c[0], c[1], c[2], value)
			}
		}
	}
	checkBFloat16(t, r, 3, 300, 700, values[0])
	checkBFloat16(t, r, 300, 3, 70, values[0])
	checkBFloat16(t, r, 7, 9, 0, values[0])
	checkBFloat16(t, r, 70, 40, 2600, values[0]) // several blocks of k
	if !thin() {
		checkBFloat16(t, r, 150, 130, 1040, values[0]) // steps of panels in blocks
	}
	streaming(func() {
		for i := range rounds { // in any layout
			c := streamed[i%len(streamed)]
			checkBFloat16(t, r, c[0], c[1], c[2], values[i%len(values)])
		}
	})
	checkBFloat16(t, r, 70, 40, 1500, values[1])
	packedBytes = 1 << 12
	checkBFloat16(t, r, 300, 70, 1201, values[0])
}

func TestBatchesOfBFloat16EqualTheirProducts(t *testing.T) {
	withBFloat16(t, func() { checkHalvesOfBatches(t) })
}

func checkHalvesOfBatches(t *testing.T) {
	before := packedBytes
	defer func() { packedBytes = before }()
	r := rand.New(rand.NewPCG(33, 34))
	const count, m, n, k = 5, 40, 7, 33
	value := func() uint16 { return roundBFloat16(float32(r.NormFloat64())) }
	a, _ := newHalves(r, count*m, k, value)
	b, _ := newHalves(r, k, count*n, value)
	c := make([]uint16, count*m*n)
	p := BFloat16Product{M: m, N: n, K: k, A: a, B: b, C: Matrix{unsafe.Pointer(&c[0]), n, 1}, Count: count, Offsets: Strided(m*a.RowStride, n*b.ColumnStride, m*n)}
	one, want := p, make([]uint16, m*n)
	one.Count, one.Offsets, one.C.Start = 0, nil, unsafe.Pointer(&want[0])
	for _, packedBytes = range []int{before, 0} {
		clear(c)
		p.Run(pools[2].Thread(), nil)
		for product := range count {
			one.A.Start = unsafe.Add(a.Start, 2*product*m*a.RowStride)
			one.B.Start = unsafe.Add(b.Start, 2*product*n*b.ColumnStride)
			one.Run(pools[1].Thread(), nil)
			require.Equal(t, want, c[product*m*n:][:m*n], "product %d", product)
		}
	}
}

// Signals, which stop goroutines and take the samples of profiles, find tiles in use; what they save and restore includes these.
func TestProductsOfBFloat16BesideSignals(t *testing.T) {
	withBFloat16(t, func() { checkBesideSignals(t) })
}

func checkBesideSignals(t *testing.T) {
	const side = 256
	rounds := 200
	if thin() {
		rounds = 10
	}
	var products, collector sync.WaitGroup
	done := make(chan struct{})
	collector.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
				runtime.GC()
			}
		}
	})
	for seed := range uint64(4) {
		products.Go(func() {
			r := rand.New(rand.NewPCG(seed, 35))
			value := func() uint16 { return roundBFloat16(float32(r.NormFloat64())) }
			a, _ := newHalves(r, side, side, value)
			b, _ := newHalves(r, side, side, value)
			first, c := make([]uint16, side*side), make([]uint16, side*side)
			p := BFloat16Product{M: side, N: side, K: side, A: a, B: b, C: Matrix{unsafe.Pointer(&first[0]), side, 1}}
			p.Run(pools[2].Thread(), nil)
			p.C.Start = unsafe.Pointer(&c[0])
			for range rounds {
				p.Run(pools[1].Thread(), nil)
				if !slices.Equal(first, c) {
					t.Error("other bits")
					return
				}
			}
		})
	}
	products.Wait()
	close(done)
	collector.Wait()
}
