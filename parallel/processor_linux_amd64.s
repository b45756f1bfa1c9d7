//go:build !noasm

#include "textflag.h"

// func readsProcessor() bool
TEXT ·readsProcessor(SB), NOSPLIT, $0-1
	MOVL $0x80000000, AX
	CPUID
	CMPL AX, $0x80000001
	JB   none
	MOVL $0x80000001, AX
	CPUID
	SHRL $27, DX // RDTSCP
	ANDL $1, DX
	MOVB DX, ret+0(FP)
	RET

none:
	MOVB $0, ret+0(FP)
	RET

// func readProcessor() int
TEXT ·readProcessor(SB), NOSPLIT, $0-8
	RDTSCP // CX is what Linux has written there: the number of the processor, and from bit 12 on of its node.
	ANDL $0xfff, CX
	MOVQ CX, ret+0(FP)
	RET
