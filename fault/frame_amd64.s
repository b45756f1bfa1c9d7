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
