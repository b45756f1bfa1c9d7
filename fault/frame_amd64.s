//go:build !noasm

#include "go_asm.h"
#include "textflag.h"

// func follow(counters *[reach]uintptr) (hash uint64, whole bool)
//
// A frame pointer is the address of two words: the caller's frame pointer and the return address. The outermost frame has
// a zero in place of the first.
TEXT ·follow(SB), NOSPLIT|NOFRAME, $0-17
	MOVQ counters+0(FP), DI
	LEAQ (8*const_reach)(DI), R10
	MOVQ $0x9E3779B97F4A7C15, R11   // the golden ratio in 64 bits
	MOVQ (TLS), R9
	MOVQ 8(R9), R9                  // g.stack.hi
	SUBQ $16, R9                    // the last address that may hold a frame
	MOVQ SP, R8                     // the address below the next frame
	MOVQ BP, SI
	XORL AX, AX

next:
	CMPQ  SI, R8
	JLS   broken
	CMPQ  SI, R9
	JHI   broken
	MOVQ  SI, R8
	MOVQ  8(SI), DX
	MOVQ  0(SI), SI
	MOVQ  DX, (DI)
	ADDQ  $8, DI
	ADDQ  DX, AX
	IMULQ R11, AX
	TESTQ SI, SI
	JEQ   whole
	CMPQ  DI, R10
	JLO   next

whole:
	MOVQ AX, hash+8(FP)
	MOVB $1, whole+16(FP)
	RET

broken:
	MOVQ $0, hash+8(FP)
	MOVB $0, whole+16(FP)
	RET

// func recall(skip int) (e *entry, key int)
//
// It goes along the frames as follow does: first to the one whose return address is the key, then from the innermost one on, beside
// the trail.
TEXT ·recall(SB), NOSPLIT|NOFRAME, $0-24
	MOVQ skip+0(FP), CX
	MOVQ (TLS), R9
	MOVQ 8(R9), R9
	SUBQ $16, R9
	MOVQ SP, R8
	MOVQ BP, SI
	MOVQ CX, DX

outwards:
	CMPQ SI, R8
	JLS  unknown
	CMPQ SI, R9
	JHI  unknown
	MOVQ SI, R8
	MOVQ 8(SI), AX
	MOVQ 0(SI), SI
	SUBQ $1, DX
	JGE  outwards

	MOVQ  $0x9E3779B97F4A7C15, R11
	IMULQ R11, AX
	SHRQ  $(64-const_latestBits), AX
	LEAQ  ·latest(SB), DI
	MOVQ  (DI)(AX*8), BX
	TESTQ BX, BX
	JEQ   unknown
	CMPQ  (entry_trail+trail_skip)(BX), CX
	JNE   unknown
	LEAQ  (entry_trail+trail_counters)(BX), DI
	LEAQ  (8*const_reach)(DI), R10
	MOVQ  SP, R8
	MOVQ  BP, SI

beside:
	CMPQ  SI, R8
	JLS   unknown
	CMPQ  SI, R9
	JHI   unknown
	MOVQ  SI, R8
	MOVQ  8(SI), DX
	MOVQ  0(SI), SI
	CMPQ  DX, (DI)
	JNE   unknown
	ADDQ  $8, DI
	TESTQ SI, SI
	JEQ   end
	CMPQ  DI, R10
	JLO   beside
	JMP   known

end:
	CMPQ DI, R10
	JEQ  known
	CMPQ (DI), $0
	JNE  unknown

known:
	MOVQ BX, e+8(FP)
	MOVQ AX, key+16(FP)
	RET

unknown:
	MOVQ $0, e+8(FP)
	MOVQ $0, key+16(FP)
	RET
