//go:build linux

#include "textflag.h"

// wide has the C calling convention: the first six arguments of what it calls are in registers, the others on the stack,
// which is aligned to 16 bytes. If there is something to enter, it does that first, and nothing else if the result is not 0.
TEXT ·wide(SB), NOSPLIT|NOFRAME, $0
	PUSHQ BP
	MOVQ  SP, BP
	PUSHQ BX
	PUSHQ BX // for the alignment
	MOVQ  DI, BX
	MOVQ  216(BX), R10
	TESTQ R10, R10
	JZ    entered
	MOVQ  224(BX), DI
	XORL  AX, AX
	CALL  R10
	MOVQ  AX, 16(BX)
	TESTL AX, AX
	JNZ   done
	MOVQ  $0, 216(BX)

entered:
	MOVQ  8(BX), CX
	SUBQ  $6, CX
	JLE   registers
	LEAQ  1(CX), AX
	ANDQ  $~1, AX
	SHLQ  $3, AX
	SUBQ  AX, SP
	LEAQ  72(BX), SI
	MOVQ  SP, DI
	CLD
	REP; MOVSQ

registers:
	MOVQ 24(BX), DI
	MOVQ 32(BX), SI
	MOVQ 40(BX), DX
	MOVQ 48(BX), CX
	MOVQ 56(BX), R8
	MOVQ 64(BX), R9
	MOVQ 0(BX), R10
	XORL AX, AX
	CALL R10
	MOVQ AX, 16(BX)

done:
	LEAQ -16(BP), SP
	POPQ BX
	POPQ BX
	POPQ BP
	RET

TEXT ·wideAddress(SB), NOSPLIT, $0-8
	LEAQ ·wide(SB), AX
	MOVQ AX, ret+0(FP)
	RET
