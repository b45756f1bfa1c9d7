//go:build linux

#include "textflag.h"

// wide has the C calling convention: the first eight arguments of what it calls are in registers, the others on the stack,
// which is aligned to 16 bytes. If there is something to enter, it does that first, and nothing else if the result is not 0.
TEXT ·wide(SB), NOSPLIT|NOFRAME, $0
	SUB  $32, RSP
	STP  (R29, R30), 0(RSP)
	STP  (R19, R20), 16(RSP)
	MOVD RSP, R29
	MOVD R0, R19
	MOVD 216(R19), R16
	CBZ  R16, entered
	MOVD 224(R19), R0
	CALL (R16)
	MOVD R0, 16(R19)
	CBNZW R0, done
	MOVD ZR, 216(R19)

entered:
	MOVD 8(R19), R9
	SUBS $8, R9, R9
	BLE  registers
	ADD  $1, R9, R10
	AND  $~1, R10, R10
	LSL  $3, R10, R10
	MOVD RSP, R11
	SUB  R10, R11, R11
	MOVD R11, RSP
	ADD  $88, R19, R12

copying:
	MOVD.P 8(R12), R13
	MOVD.P R13, 8(R11)
	SUBS   $1, R9, R9
	BNE    copying

registers:
	LDP  24(R19), (R0, R1)
	LDP  40(R19), (R2, R3)
	LDP  56(R19), (R4, R5)
	LDP  72(R19), (R6, R7)
	MOVD 0(R19), R16
	CALL (R16)
	MOVD R0, 16(R19)

done:
	MOVD R29, RSP
	LDP  16(RSP), (R19, R20)
	LDP  0(RSP), (R29, R30)
	ADD  $32, RSP
	RET

TEXT ·wideAddress(SB), NOSPLIT, $0-8
	MOVD $·wide(SB), R0
	MOVD R0, ret+0(FP)
	RET
