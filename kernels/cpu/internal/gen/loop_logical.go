package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// bitwise is the loops of an operation on bits, of which those of bytes are those of bools for other operators, too.
func bitwise(operator string, write func(a *assembler) func(x vector, y operand.Op) vector, ofBools ...string) (all []loop) {
	for _, dtypes := range [][]string{{"int8", "uint8", "bool"}, words16, words32, words64} {
		all = append(all, sameSize(operator, dtypes, 2, false, func(a *assembler) func(in []operand.Mem) reg.Register {
			return func(in []operand.Mem) reg.Register { return write(a)(a.loaded(in[0]), a.loaded(in[1])) }
		}))
	}
	for _, other := range ofBools {
		all[0] = all[0].serves(other + "/bool")
	}
	return all
}

// moves are loops that copy, by which arrays are filled, too, and that serve the casts between types whose values have the same bits.
func moves() (all []loop) {
	for _, dtypes := range [][]string{
		{"bool", "int8", "uint8"}, {"int16", "uint16", "float16", "bfloat16"}, {"int32", "uint32", "float32"}, {"int64", "uint64", "float64"},
	} {
		l := sameSize("positive", dtypes, 1, false, func(a *assembler) func(in []operand.Mem) reg.Register {
			return func(in []operand.Mem) reg.Register { return a.loaded(in[0]) }
		})
		for _, from := range dtypes {
			for _, to := range dtypes {
				if from == to || from == "bool" || isInteger(from) && isInteger(to) {
					l = l.serves("cast/" + from + "/" + to)
				}
			}
			if from[0] == 'u' {
				l = l.serves("abs/" + from)
			}
			if from != "bool" {
				l = l.serves("conj/" + from)
			}
			if isInteger(from) {
				l = l.serves("floor/"+from, "ceil/"+from, "trunc/"+from, "round/"+from)
			}
		}
		all = append(all, l)
	}
	all[0] = all[0].serves("abs/bool", "square/bool")
	all[0].dtypes = words8
	return all
}

func isInteger(d string) bool { return d[0] == 'u' || d[:3] == "int" }

// shifting is a loop that shifts elements by as many places as the other operand, an unsigned number, says. Those below 32 bits, for
// which there is no instruction, are shifted within longer words, of one part of which after the other they become the highest.
func shifting(dtype string, left bool) loop {
	operator, size, signed := "bitwise_right_shift", sizeOf[dtype], dtype[0] == 'i'
	if left {
		operator = "bitwise_left_shift"
	}
	shift := func(a *assembler, length int) instruction {
		switch {
		case left:
			return map[int]instruction{2: a.VPSLLVW, 4: a.VPSLLVD, 8: a.VPSLLVQ}[length]
		case signed:
			return map[int]instruction{2: a.VPSRAVW, 4: a.VPSRAVD, 8: a.VPSRAVQ}[length]
		}
		return map[int]instruction{2: a.VPSRLVW, 4: a.VPSRLVD, 8: a.VPSRLVQ}[length]
	}
	dtypes := []string{dtype}
	if left {
		dtypes = append(dtypes, "u"+dtype)
	}
	return sameSize(operator, dtypes, 2, false, func(a *assembler) func(in []operand.Mem) reg.Register {
		if size == 8 && signed && !left && !a.wide { // AVX2 shifts zeros alone into words of 64 bits.
			zero := zeroVector(a)
			return func(in []operand.Mem) reg.Register {
				x := a.loaded(in[0])
				signs := a.signsOfWords64(zero, x)
				return a.xor(a.apply(a.VPSRLVQ, nil, a.loaded(in[1]), a.xor(x, signs)), signs)
			}
		}
		length := max(size, 4)
		if a.wide {
			length = max(size, 2)
		}
		if length == size {
			return func(in []operand.Mem) reg.Register {
				return a.apply(shift(a, size), nil, a.loaded(in[1]), a.loaded(in[0]))
			}
		}
		up, down := map[int]instruction{2: a.VPSLLW, 4: a.VPSLLD}[length], map[int]instruction{2: a.VPSRLW, 4: a.VPSRLD}[length]
		by := func(write instruction, bits int, x vector) vector {
			if bits == 0 {
				return x
			}
			return a.apply(write, nil, operand.U8(bits), x)
		}
		highest := 8 * (length - size)
		return func(in []operand.Mem) reg.Register {
			x, places := a.loaded(in[0]), a.loaded(in[1])
			var result vector
			for part := 0; part <= highest; part += 8 * size {
				element := by(up, highest-part, x)
				if part > 0 && left { // without the parts below
					element = by(up, highest, by(down, part, x))
				}
				shifted := a.apply(shift(a, length), nil, by(down, highest, by(up, highest-part, places)), element)
				shifted = by(up, part, by(down, highest, shifted))
				if part > 0 {
					shifted = a.or(result, shifted)
				}
				result = shifted
			}
			return result
		}
	})
}

func shifts() (all []loop) {
	for _, dtype := range []string{"int8", "int16", "int32", "int64"} {
		all = append(all, shifting(dtype, true), shifting(dtype, false), shifting("u"+dtype, false))
	}
	return all
}

// ofTruths is a loop on bytes of which what is not zero is true: one, which is the lesser of it and one.
func ofTruths(operator string, operands int, write func(a *assembler, one vector, truth func(x vector) vector, in []vector) vector) loop {
	return sameSize(operator, words8, operands, false, func(a *assembler) func(in []operand.Mem) reg.Register {
		one := a.loaded(a.onesOfBytes())
		truth := func(x vector) vector { return a.apply(a.VPMINUB, nil, one, x) }
		return func(in []operand.Mem) reg.Register {
			vectors := []vector{}
			for _, m := range in {
				vectors = append(vectors, a.loaded(m))
			}
			return write(a, one, truth, vectors)
		}
	})
}

// logicalLoops is the table of loops on bits; bools are bytes of 0 or 1.
var logicalLoops = slicesOf(
	bitwise("bitwise_and", func(a *assembler) func(vector, operand.Op) vector { return a.and }, "logical_and", "mul", "minimum"),
	bitwise("bitwise_or", func(a *assembler) func(vector, operand.Op) vector { return a.or }, "logical_or", "add", "maximum"),
	bitwise("bitwise_xor", func(a *assembler) func(vector, operand.Op) vector { return a.xor }, "logical_xor"),
	[]loop{
		ofTruths("logical_and", 2, func(a *assembler, _ vector, truth func(vector) vector, in []vector) vector {
			return a.and(truth(in[0]), truth(in[1]))
		}),
		ofTruths("logical_or", 2, func(a *assembler, _ vector, truth func(vector) vector, in []vector) vector {
			return truth(a.or(in[0], in[1]))
		}),
		ofTruths("logical_xor", 2, func(a *assembler, _ vector, truth func(vector) vector, in []vector) vector {
			return a.xor(truth(in[0]), truth(in[1]))
		}),
		ofTruths("logical_not", 1, func(a *assembler, one vector, truth func(vector) vector, in []vector) vector {
			return a.xor(truth(in[0]), one)
		}),
	},
	inverses(), shifts(),
)

// inverses is the loops that invert all bits, and that of bools.
func inverses() (all []loop) {
	const every, lowest = 1<<32 - 1, 0x01010101
	xor := func(a *assembler) func(vector, operand.Op) vector { return a.xor }
	for _, dtypes := range [][]string{words8, words16, words32, {"int64", "uint64"}} {
		bits := uint64(every)
		if sizeOf[dtypes[0]] == 8 {
			bits = 1<<64 - 1
		}
		all = append(all, onBits("bitwise_invert", dtypes, bits, xor))
	}
	return append(all, onBits("bitwise_invert", []string{"bool"}, lowest, xor).serves("logical_not/bool"))
}
