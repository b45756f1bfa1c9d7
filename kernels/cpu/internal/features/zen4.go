package features

import "golang.org/x/sys/cpu"

// Zen4 tells whether the processor is one of AMD's Zen 4, which computes vectors of 64 bytes in halves, at half the
// rate of others, and fetches memory ahead better unasked. It is told by what else it has: products of bfloat16, which
// nothing older has, and not AVX-VNNI, which the newer ones have. Virtual machines that hide an instruction set may
// look the same: that costs speed alone.
var Zen4 = cpu.X86.HasAVX512BF16 && !cpu.X86.HasAVXVNNI && !Intel
