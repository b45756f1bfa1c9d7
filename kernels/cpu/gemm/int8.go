package gemm

import (
	"unsafe"

	"github.com/weft-nd/weft/kernels/cpu/internal/features"
	"github.com/weft-nd/weft/parallel"
)

// Int8Product is C = A*B for A and B of int8 and C of int32, with the sizes and strides of Product. Sums are exact, modulo 2^32:
// below 131072 terms none can overflow. The contract is that of Product.
type Int8Product struct {
	M, N, K int
	A, B, C Matrix
	Count   int
	Offsets func(product int) (a, b, c int)
}

// Scratch returns the bytes of temporary memory that Run takes.
func (p Int8Product) Scratch() int {
	if p.M == 0 || p.N == 0 || p.K == 0 {
		return 0
	}
	if features.HasMatrixUnit() {
		return p.onAMX().scratch()
	}
	aBytes, bBytes := p.pairBytes()
	// The strides are those that pairUp gives, whose choice depends on the strides alone.
	return aBytes + bBytes + max(p.ofPairs(nil, nil).Scratch(), 64)
}

func (p *Int8Product) pairBytes() (a, b int) {
	pairs := (p.K + 1) / 2
	return roundUp(4*p.M*pairs, 64), roundUp(4*p.N*pairs, 64)
}

// ofPairs returns the product of pairs at these addresses.
func (p *Int8Product) ofPairs(a, b unsafe.Pointer) Product[float32] {
	q := Product[float32]{M: p.M, N: p.N, K: (p.K + 1) / 2, Alpha: 1, C: p.C, pairs: true}
	q.A, q.B = Matrix{a, q.K, 1}, Matrix{b, 1, q.K}
	if p.A.RowStride == 1 && p.A.ColumnStride != 1 {
		q.A = Matrix{a, 1, p.M}
	}
	if p.B.ColumnStride == 1 && p.B.RowStride != 1 {
		q.B = Matrix{b, p.N, 1}
	}
	return q
}

// Run computes the product in temporary memory of Scratch bytes, best aligned to 64, with any contents; if it is nil, it makes
// some.
func (p Int8Product) Run(t *parallel.Thread, temporary unsafe.Pointer) {
	if p.M == 0 || p.N == 0 {
		return
	}
	if features.HasMatrixUnit() {
		p.onAMX().run(t, temporary)
		return
	}
	aBytes, bBytes := p.pairBytes()
	if temporary == nil {
		temporary = unsafe.Pointer(unsafe.SliceData(make([][8]uint64, p.Scratch()/64+1)))
	}
	lastA, lastB := -1, -1
	for product := range max(1, p.Count) {
		a, b, c := 0, 0, 0
		if p.Offsets != nil {
			a, b, c = p.Offsets(product)
		}
		pairsA, pairsB := temporary, unsafe.Add(temporary, aBytes)
		if p.K > 0 && (product == 0 || a != lastA) {
			pairUp(t, pairsA, unsafe.Add(p.A.Start, a), p.K, p.M, p.A.ColumnStride, p.A.RowStride)
		}
		if p.K > 0 && (product == 0 || b != lastB) {
			pairUp(t, pairsB, unsafe.Add(p.B.Start, b), p.K, p.N, p.B.RowStride, p.B.ColumnStride)
		}
		lastA, lastB = a, b
		q := p.ofPairs(pairsA, pairsB)
		q.C.Start = unsafe.Add(p.C.Start, 4*c)
		q.Run(t, unsafe.Add(temporary, aBytes+bBytes))
	}
}

func (p *Int8Product) onAMX() *amxProduct {
	return &amxProduct{amxInt8, p.M, p.N, p.K, p.A, p.B, p.C, p.Count, p.Offsets, false}
}
