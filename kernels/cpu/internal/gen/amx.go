package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The instructions of AMX, which neither avo nor Go's assembler knows, are written as their bytes (Intel, "64 and IA-32
// Architectures Software Developer's Manual", volume 2, chapter 2.3, VEX prefix). A function that has them names its registers.

// matrix is one of the eight registers that hold a tile, of 16 rows of 64 bytes.
type matrix uint8

// vexPrefix is the prefix that the VEX prefix stands for.
type vexPrefix uint8

const (
	vexNone vexPrefix = iota
	vex66
	vexF3
	vexF2
)

// vex writes an instruction with opcode in the map 0F 38. The operand v is the one in the prefix; address has what the ModRM
// byte addresses.
func (a *assembler) vex(text string, prefix vexPrefix, opcode uint8, v matrix, address ...uint8) {
	a.literal(text, append([]uint8{0xC4, 0xE2, ^uint8(v)&15<<3 | uint8(prefix), opcode}, address...)...)
}

// literal writes an instruction as its bytes.
func (a *assembler) literal(text string, bytes ...uint8) {
	a.Comment(text)
	for _, b := range bytes {
		a.Instruction(&ir.Instruction{Opcode: "BYTE", Operands: []operand.Op{operand.U8(b)}})
	}
}

// low returns the number of one of the first eight general registers, which need no further bits.
func low(r reg.Register) uint8 {
	number := uint8(reg.ToPhysical(r).PhysicalIndex())
	if number > 7 {
		panic(fmt.Sprintf("register %d", number))
	}
	return number
}

// rows returns what follows the opcode of an instruction on a tile in memory, whose rows are as far apart as stride tells.
func rows(tile matrix, base reg.Register, offset uint32, stride reg.Register) []uint8 {
	return []uint8{0x84 | uint8(tile)<<3, low(stride)<<3 | low(base), uint8(offset), uint8(offset >> 8), uint8(offset >> 16), uint8(offset >> 24)}
}

// LDTILECFG sets the shapes of the tiles.
func (a *assembler) LDTILECFG(base reg.Register) {
	a.vex("LDTILECFG", vexNone, 0x49, 0, low(base))
}

// TILERELEASE ends the use of tiles.
func (a *assembler) TILERELEASE() { a.vex("TILERELEASE", vexNone, 0x49, 0, 0xC0) }

// TILEZERO makes a tile zero.
func (a *assembler) TILEZERO(tile matrix) {
	a.vex(fmt.Sprintf("TILEZERO T%d", tile), vexF2, 0x49, 0, 0xC0|uint8(tile)<<3)
}

// TILELOADD reads a tile.
func (a *assembler) TILELOADD(base reg.Register, offset uint32, stride reg.Register, tile matrix) {
	a.vex(fmt.Sprintf("TILELOADD T%d", tile), vexF2, 0x4B, 0, rows(tile, base, offset, stride)...)
}

// TILELOADDT1 reads a tile that is not worth a place in the first cache.
func (a *assembler) TILELOADDT1(base reg.Register, offset uint32, stride reg.Register, tile matrix) {
	a.vex(fmt.Sprintf("TILELOADDT1 T%d", tile), vex66, 0x4B, 0, rows(tile, base, offset, stride)...)
}

// TILESTORED writes a tile.
func (a *assembler) TILESTORED(tile matrix, base reg.Register, offset uint32, stride reg.Register) {
	a.vex(fmt.Sprintf("TILESTORED T%d", tile), vexF3, 0x4B, 0, rows(tile, base, offset, stride)...)
}

// TDPBF16PS adds products of pairs of bfloat16.
func (a *assembler) TDPBF16PS(x, y, sums matrix) {
	a.vex(fmt.Sprintf("TDPBF16PS T%d, T%d, T%d", x, y, sums), vexF3, 0x5C, y, 0xC0|uint8(sums)<<3|uint8(x))
}

// TDPBSSD adds products of four int8 each.
func (a *assembler) TDPBSSD(x, y, sums matrix) {
	a.vex(fmt.Sprintf("TDPBSSD T%d, T%d, T%d", x, y, sums), vexF2, 0x5E, y, 0xC0|uint8(sums)<<3|uint8(x))
}
