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

// Scratch returns the bytes of temporary memory that Run takes. It depends on what that of Product does.
func (p Int8Product) Scratch() int {
	if features.HasMatrixUnit() {
		return p.onAMX().scratch()
	}
	return p.ofWords().Scratch()
}

func (p *Int8Product) ofWords() Product[float32] {
	return newWords(int8s, p.M, p.N, p.K, p.A, p.B, p.C, p.Count, p.Offsets)
}

// Run computes the product in temporary memory of Scratch bytes, best aligned to 64, with any contents; if it is nil, it makes
// some.
func (p Int8Product) Run(t *parallel.Thread, temporary unsafe.Pointer) {
	if features.HasMatrixUnit() {
		p.onAMX().run(t, temporary)
		return
	}
	p.ofWords().Run(t, temporary)
}

func (p *Int8Product) onAMX() *amxProduct {
	q := &amxProduct{amxInt8, p.M, p.N, p.K, p.A, p.B, p.C, p.Count, p.Offsets, false, false}
	q.orient()
	return q
}
