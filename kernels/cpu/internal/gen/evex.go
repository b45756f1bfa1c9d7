package main

import (
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// unknown writes an instruction that avo does not know. The last operand is the result, and added to.
func (a *assembler) unknown(opcode, set string, operands ...operand.Op) {
	a.Instruction(&ir.Instruction{Opcode: opcode, Operands: operands, Inputs: operands, Outputs: operands[2:], ISA: []string{set}})
}

// evexCodes are instructions that Go's assembler does not know either: their prefixes, of those that the EVEX prefix
// stands for, and opcodes in the map 0F 38 (Intel, "64 and IA-32 Architectures Software Developer's Manual", volume 2,
// chapter 2.7).
var evexCodes = map[string]struct{ prefix, opcode uint8 }{
	"VDPBF16PS":      {2, 0x52},
	"VCVTNE2PS2BF16": {3, 0x72},
}

// encode replaces instructions on three wide registers that Go's assembler does not know by their bytes.
func encode(function *ir.Function) {
	nodes := function.Nodes
	function.Nodes = nil
	for _, node := range nodes {
		instruction, _ := node.(*ir.Instruction)
		if instruction != nil {
			if code, found := evexCodes[instruction.Opcode]; found {
				function.AddComment(instruction.Opcode + " " + operandsOf(instruction))
				first, last := evex(code.prefix, code.opcode, instruction.Operands)
				function.AddInstruction(&ir.Instruction{Opcode: "LONG", Operands: []operand.Op{operand.U32(first)}})
				function.AddInstruction(&ir.Instruction{Opcode: "WORD", Operands: []operand.Op{operand.U16(last)}})
				continue
			}
		}
		function.AddNode(node)
	}
}

func operandsOf(i *ir.Instruction) (text string) {
	for n, op := range i.Operands {
		if n > 0 {
			text += ", "
		}
		text += op.Asm()
	}
	return text
}

// evex returns the six bytes of an instruction on three vectors of 64 bytes, which are in the order of Go's assembler.
func evex(prefix, opcode uint8, operands []operand.Op) (first uint32, last uint16) {
	number := func(i int) uint32 { return uint32(reg.ToPhysical(operands[i].(reg.Register)).PhysicalIndex()) }
	x, y, result := number(0), number(1), number(2)
	inverse := func(n uint32, from, to int) uint32 { return ^n >> from & 1 << to }
	first = 0x62 |
		(inverse(result, 3, 7)|inverse(x, 4, 6)|inverse(x, 3, 5)|inverse(result, 4, 4)|2)<<8 |
		(^y&15<<3|4|uint32(prefix))<<16 |
		(0x40|inverse(y, 4, 3))<<24
	return first, uint16(opcode) | uint16(0xC0|result&7<<3|x&7)<<8
}
