//go:build !noasm

#include "go_asm.h"
#include "textflag.h"

// func follow(counters *[reach]uintptr) (hash uint64, whole bool)
//
// A frame pointer is the address of two words: the caller's frame pointer and the return address. The outermost frame has
// a zero in place of the first. The innermost one lies a word below the stack pointer, where Go saves frame pointers.
TEXT ·follow(SB), NOSPLIT|NOFRAME, $0-17
	MOVD counters+0(FP), R0
	ADD  $(8*const_reach), R0, R1
	MOVD $0x9E3779B97F4A7C15, R2   // the golden ratio in 64 bits
	MOVD 8(g), R3                  // g.stack.hi
	SUB  $16, R3                   // the last address that may hold a frame
	MOVD RSP, R4
	SUB  $16, R4                   // the address below the next frame
	MOVD R29, R5
	MOVD ZR, R6

next:
	CMP  R4, R5
	BLS  broken
	CMP  R3, R5
	BHI  broken
	MOVD R5, R4
	LDP  (R5), (R5, R7)
	MOVD.P R7, 8(R0)
	ADD  R7, R6
	MUL  R2, R6
	CBZ  R5, whole
	CMP  R1, R0
	BLO  next

whole:
	MOVD R6, hash+8(FP)
	MOVD $1, R7
	MOVB R7, whole+16(FP)
	RET

broken:
	MOVD ZR, hash+8(FP)
	MOVB ZR, whole+16(FP)
	RET
