package gemm

import (
	"unsafe"

	"github.com/weft-nd/weft/kernels/cpu/internal/features"
	"github.com/weft-nd/weft/parallel"
)

// BFloat16Product is C = A*B for A and B of bfloat16 and C of bfloat16 or float32, with the sizes and strides of Product. It runs only
// where HasBFloat16. The contract is that of Product; of its bits the package documentation tells.
type BFloat16Product struct {
	M, N, K int
	A, B, C Matrix
	Count   int
	Offsets func(product int) (a, b, c int)
	Single  bool // C is of float32
}

// HasBFloat16 reports whether the processor has AMX or AVX512_BF16, and so products of bfloat16.
func HasBFloat16() bool { return features.HasMatrixUnit() || features.HasBFloat16() }

// Scratch returns the bytes of temporary memory that Run takes. It depends on what that of Product does.
func (p BFloat16Product) Scratch() int {
	if features.HasMatrixUnit() {
		return p.onAMX().scratch()
	}
	return p.ofWords().Scratch()
}

// Run computes the product in temporary memory of Scratch bytes, best aligned to 64, with any contents; if it is nil, it makes
// some.
func (p BFloat16Product) Run(t *parallel.Thread, temporary unsafe.Pointer) {
	if features.HasMatrixUnit() {
		p.onAMX().run(t, temporary)
		return
	}
	p.ofWords().Run(t, temporary)
}

func (p *BFloat16Product) ofWords() Product[float32] {
	q := newWords(bfloat16s, p.M, p.N, p.K, p.A, p.B, p.C, p.Count, p.Offsets)
	q.rounds = !p.Single
	return q
}

func (p *BFloat16Product) onAMX() *amxProduct {
	q := &amxProduct{amxBFloat16, p.M, p.N, p.K, p.A, p.B, p.C, p.Count, p.Offsets, !p.Single, false}
	q.orient()
	return q
}
