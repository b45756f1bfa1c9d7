package gemm

import (
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/kernels/cpu/internal/features"
)

// Tiles are packed by instructions that processors without AMX have, too.
func TestTilesForAMXHaveTheElementsOfMatricesAndZerosAlongK(t *testing.T) {
	if features.Best < features.AVX512 {
		t.Skip("no AVX-512")
	}
	r := rand.New(rand.NewPCG(41, 42))
	for _, kernels := range []*amx{amxInt8, amxBFloat16} {
		for range 60 {
			lines, k, size := 1+r.IntN(100), 1+r.IntN(200), kernels.size
			memory := make([]byte, size*(lines*2+1)*(k*2+1))
			for i := range memory {
				memory[i] = byte(1 + r.IntN(255))
			}
			steps := [][2]int{{k + r.IntN(3), 1}, {1, lines + r.IntN(3)}, {2 * k, 2}}[r.IntN(3)]
			o := amxOperand{operand{&kernels.packer, steps[0] * size, steps[1] * size, r.IntN(2) == 0}, lines, k}
			dst := make([]byte, o.panels()*o.steps()*2*tileBytes)
			for _, unit := range r.Perm(o.units()) {
				o.packUnit(unsafe.Pointer(&dst[0]), unsafe.Pointer(&memory[0]), unit)
			}
			for line := range lines {
				for i := range o.steps() * 64 / size {
					word, part := i/kernels.perWord, i%kernels.perWord*size
					at := (line/panelLines*o.steps()+word/blockWords)*2*tileBytes + line%panelLines/tileLines*tileBytes
					if o.byWords {
						at += word%blockWords*64 + line%tileLines*wordBytes + part
					} else {
						at += line%tileLines*64 + word%blockWords*wordBytes + part
					}
					want := make([]byte, size)
					if i < k {
						copy(want, memory[line*o.lineStep+i*o.kStep:])
					}
					if !slices.Equal(want, dst[at:at+size]) {
						require.Equal(t, want, dst[at:at+size], "line %d of %d, element %d of %d, %+v", line, lines, i, k, o)
					}
				}
			}
		}
	}
}

func TestProductsOfWordsAllocateNothing(t *testing.T) {
	if racing {
		t.Skip("sync.Pool forgets")
	}
	r := rand.New(rand.NewPCG(43, 44))
	thread := pools[1].Thread()
	a, _ := newHalves(r, 50, 71, func() uint16 { return 0 })
	b, _ := newHalves(r, 71, 30, func() uint16 { return 0 })
	c := make([]float32, 50*30)
	integers := Int8Product{M: 50, N: 30, K: 71, A: a, B: b, C: Matrix{unsafe.Pointer(&c[0]), 30, 1}}
	halves := BFloat16Product{M: 50, N: 30, K: 71, A: a, B: b, C: integers.C}
	memory := make([][8]uint64, max(integers.Scratch(), 1<<16)/64)
	features.EachNarrow(func() {
		if features.HasMatrixUnit() {
			return
		}
		require.Zero(t, testing.AllocsPerRun(20, func() { integers.Run(thread, unsafe.Pointer(&memory[0])) }))
		if HasBFloat16() {
			require.Zero(t, testing.AllocsPerRun(20, func() { halves.Run(thread, unsafe.Pointer(&memory[0])) }))
		}
	})
}
