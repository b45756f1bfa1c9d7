package main

// writeIntegers writes the kernels of package gemm for int32, and for int64 where there is an instruction that multiplies them.
func writeIntegers(f *file) {
	narrow, wide := &assembler{Context: f.context, file: f}, &assembler{Context: f.context, file: f, wide: true}
	long := &assembler{Context: f.context, file: f, wide: true, double: true}
	for _, vectors := range []int{1, 2} {
		narrow.tileKernel("int32", vectors, 5, integers)
		wide.tileKernel("int32", vectors, wide.tileHeight(vectors), integers)
		long.tileKernel("int64", vectors, long.tileHeight(vectors), integers)
	}
}

// multiplyAddIntegers adds the products of a and b to sum.
func (t *tileCode) multiplyAddIntegers(a, b, sum vector) {
	products := t.asm.vector()
	t.asm.of(t.asm.VPMULLD, t.asm.VPMULLQ)(a, b, products)
	t.addIntegers(products, sum)
}

// addIntegers adds integers to those of sum.
func (t *tileCode) addIntegers(x, sum vector) { t.asm.of(t.asm.VPADDD, t.asm.VPADDQ)(x, sum, sum) }
