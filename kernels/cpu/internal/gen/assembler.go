package main

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// file is an assembly file with the tables that its functions share.
type file struct {
	context  *build.Context
	tables   map[string]constants
	appendix string // Go that follows the declarations of the functions
	portable string // a file of Go for all processors
}

// constants are read-only memory, and what it has.
type constants struct {
	memory operand.Mem
	values []uint64
}

// each writes a function for both widths.
func (f *file) each(double bool, write func(a *assembler)) {
	size := 4
	if double {
		size = 8
	}
	f.eachOf(size, write)
}

// eachOf is each for elements of size bytes.
func (f *file) eachOf(size int, write func(a *assembler)) {
	for _, wide := range []bool{false, true} {
		a := &assembler{Context: f.context, file: f, wide: wide, double: size == 8}
		if size < 4 {
			a.narrow = size
		}
		write(a)
	}
}

// assembler writes the instructions of one function on vectors of one width, whose elements have 32 bits, or 64 if double, or
// less if narrow is their bytes.
type assembler struct {
	*build.Context
	file         *file
	wide, double bool
	narrow       int
	source       string            // the narrower type of floats that elements are loaded from; empty if they are in memory as they are
	kept         map[string]vector // constants by their names
	active       reg.Register      // of the elements of a vector, those that there are; nil are all
	leave        string            // where functions go that leave elements to other code
	beyond       string            // where those go that leave elements beyond a limit; empty where they do not
	leftBeyond   bool              // whether some went there
}

type vector = reg.VecVirtual

// constant is 32 bytes of memory that repeat one element. Its name is constantPrefix and the bits.
type constant = operand.Mem

const constantPrefix = "constant"

type instruction func(...operand.Op)

// begin starts the function name+"AVX2" or name+"AVX512".
func (a *assembler) begin(name, parameters string, doc ...string) {
	doc[0] = name + a.suffix() + " " + doc[0]
	a.Function(name + a.suffix())
	a.Attributes(attr.NOSPLIT)
	a.SignatureExpr("func(" + parameters + ")")
	a.Doc(doc...)
	a.Pragma("noescape")
}

func (a *assembler) suffix() string {
	if a.wide {
		return "AVX512"
	}
	return "AVX2"
}

// bytes is the length of a vector.
func (a *assembler) bytes() int {
	if a.wide {
		return 64
	}
	return 32
}

func (a *assembler) vector() vector {
	if a.wide {
		return a.ZMM()
	}
	return a.YMM()
}

// half returns a vector of half the length.
func (a *assembler) half() vector {
	if a.wide {
		return a.YMM()
	}
	return a.XMM()
}

// number is the constant with the value.
func (a *assembler) number(value float64) constant {
	if a.double {
		return a.bits(math.Float64bits(value))
	}
	return a.bits(uint64(math.Float32bits(float32(value))))
}

// bits is the constant with the bits.
func (a *assembler) bits(bits uint64) constant {
	key := bits
	if !a.double {
		key = bits<<32 | bits
	}
	return a.table(fmt.Sprintf(constantPrefix+"%016x", key), key, key, key, key)
}

// table is read-only memory with the values. Its name is of no other values in the file.
func (a *assembler) table(name string, values ...uint64) operand.Mem {
	if known, found := a.file.tables[name]; found {
		if !slices.Equal(known.values, values) {
			panic(fmt.Sprintf("two tables have the name %s: %x and %x", name, known.values, values))
		}
		return known.memory
	}
	memory := a.StaticGlobal(name)
	a.DataAttributes(attr.RODATA | attr.NOPTR)
	for i, value := range values {
		a.AddDatum(8*i, operand.U64(value))
	}
	a.file.tables[name] = constants{memory, values}
	return memory
}

// of picks the instruction for the element.
func (a *assembler) of(single, double instruction) instruction {
	if a.double {
		return double
	}
	return single
}

// apply writes an instruction with its sources in the order of Go's assembler. The first source may be a constant, which
// wide instructions read by their broadcasting form.
func (a *assembler) apply(plain, broadcasting instruction, sources ...operand.Op) vector {
	result := a.vector()
	sources[0] = a.orKept(sources[0])
	if _, isConstant := sources[0].(constant); isConstant && a.wide {
		plain = broadcasting
	}
	plain(append(sources, result)...)
	return result
}

// keeping is what a function has in registers while it computes many vectors, rather than in memory.
type keeping int

const (
	nothing keeping = iota
	tablesAlone
	constantsAndTables
)

// keep loads what a function keeps once, for wide vectors, which have registers enough.
func (a *assembler) keep(what keeping, function func(c code, x value) value) {
	if !a.wide || what == nothing {
		return
	}
	trial := &assembler{Context: build.NewContext(), file: &file{tables: map[string]constants{}}, wide: true, double: a.double}
	trial.Function("trial")
	trial.leave, trial.beyond = a.leave, a.beyond
	function(abreast{lanes{trial}, 1}, several{trial.vector()})
	a.kept = map[string]vector{}
	for _, name := range slices.Sorted(maps.Keys(trial.file.tables)) {
		digits, isConstant := strings.CutPrefix(name, constantPrefix)
		switch {
		case !isConstant: // A table: lines of memory end within it, unless it happens to begin with one.
			a.kept[name] = a.loadMemory(a.table(name, trial.file.tables[name].values...))
		case what == constantsAndTables:
			bits, _ := strconv.ParseUint(digits, 16, 64)
			a.kept[name] = a.spread(a.bits(bits))
		}
	}
}

// orKept returns the register of a constant that is kept, and any other operand as it is.
func (a *assembler) orKept(x operand.Op) operand.Op {
	if memory, isConstant := x.(constant); isConstant {
		if kept, found := a.kept[memory.Symbol.Name]; found {
			return kept
		}
	}
	return x
}

// spread returns a vector whose elements all equal the one in memory.
func (a *assembler) spread(memory operand.Mem) vector {
	result := a.vector()
	a.of(a.VBROADCASTSS, a.VBROADCASTSD)(memory, result)
	return result
}

// Arithmetic on floating-point elements. Of the operands, y may be a constant.

func (a *assembler) add(x vector, y operand.Op) vector {
	return a.apply(a.of(a.VADDPS, a.VADDPD), a.of(a.VADDPS_BCST, a.VADDPD_BCST), y, x)
}

func (a *assembler) subtract(x vector, y operand.Op) vector {
	return a.apply(a.of(a.VSUBPS, a.VSUBPD), a.of(a.VSUBPS_BCST, a.VSUBPD_BCST), y, x)
}

func (a *assembler) multiply(x vector, y operand.Op) vector {
	return a.apply(a.of(a.VMULPS, a.VMULPD), a.of(a.VMULPS_BCST, a.VMULPD_BCST), y, x)
}

func (a *assembler) divide(x, y vector) vector {
	return a.apply(a.of(a.VDIVPS, a.VDIVPD), nil, y, x)
}

func (a *assembler) minimum(x, y vector) vector {
	return a.apply(a.of(a.VMINPS, a.VMINPD), nil, y, x)
}

func (a *assembler) squareRoot(x vector) vector {
	return a.apply(a.of(a.VSQRTPS, a.VSQRTPD), nil, x)
}

// polynomial evaluates a polynomial, the coefficient of the highest power first.
func (a *assembler) polynomial(x vector, coefficients ...float64) vector {
	value := a.multiply(x, a.number(coefficients[0]))
	for i, c := range coefficients[1:] {
		if i > 0 {
			value = a.multiply(value, x)
		}
		value = a.add(value, a.number(c))
	}
	return value
}

// Arithmetic on integer elements. Of the operands, y may be a constant.

func (a *assembler) addIntegers(x vector, y operand.Op) vector {
	return a.apply(a.of(a.VPADDD, a.VPADDQ), a.of(a.VPADDD_BCST, a.VPADDQ_BCST), y, x)
}

func (a *assembler) subtractIntegers(x, y vector) vector {
	return a.apply(a.of(a.VPSUBD, a.VPSUBQ), nil, y, x)
}

func (a *assembler) and(x vector, y operand.Op) vector {
	if a.wide {
		return a.apply(a.of(a.VPANDD, a.VPANDQ), a.of(a.VPANDD_BCST, a.VPANDQ_BCST), y, x)
	}
	return a.apply(ofThree(a.VPAND), nil, y, x)
}

func (a *assembler) or(x vector, y operand.Op) vector {
	if a.wide {
		return a.apply(a.of(a.VPORD, a.VPORQ), a.of(a.VPORD_BCST, a.VPORQ_BCST), y, x)
	}
	return a.apply(ofThree(a.VPOR), nil, y, x)
}

func (a *assembler) xor(x vector, y operand.Op) vector {
	if a.wide {
		return a.apply(a.of(a.VPXORD, a.VPXORQ), a.of(a.VPXORD_BCST, a.VPXORQ_BCST), y, x)
	}
	return a.apply(ofThree(a.VPXOR), nil, y, x)
}

func (a *assembler) shiftLeft(x vector, by uint8) vector {
	return a.apply(a.of(a.VPSLLD, a.VPSLLQ), nil, operand.U8(by), x)
}

func (a *assembler) shiftRight(x vector, by uint8) vector {
	return a.apply(a.of(a.VPSRLD, a.VPSRLQ), nil, operand.U8(by), x)
}

// negative returns all ones for the elements whose highest bit is set, and zero for the others.
func (a *assembler) negative(x vector) vector {
	mask := a.apply(a.VPSRAD, nil, operand.U8(31), x)
	if a.double {
		mask = a.apply(a.VPSHUFD, nil, operand.U8(0xF5), mask)
	}
	return mask
}

// choose returns the elements of yes where those of mask are all ones, and those of no where they are zero.
func (a *assembler) choose(mask, yes, no vector) vector {
	result := a.vector()
	if a.wide {
		a.VMOVDQA64(mask, result)
		a.VPTERNLOGD(operand.U8(0xCA), no, yes, result)
	} else {
		a.VBLENDVPS(mask, yes, no, result)
	}
	return result
}

// load and store move a vector at offset bytes from the address, loadFrom and storeTo one anywhere.

func (a *assembler) load(address reg.Register, offset int) vector {
	return a.loadFrom(operand.Mem{Base: address, Disp: offset})
}

func (a *assembler) loadFrom(memory operand.Mem) vector {
	result := a.vector()
	if a.wide {
		a.VMOVDQU32(memory, result)
	} else {
		a.VMOVDQU(memory, result)
	}
	return result
}

func (a *assembler) store(x vector, address reg.Register, offset int) {
	a.storeTo(x, operand.Mem{Base: address, Disp: offset})
}

func (a *assembler) storeTo(x vector, memory operand.Mem) {
	if a.wide {
		a.VMOVDQU32(x, memory)
	} else {
		a.VMOVDQU(x, memory)
	}
}

// loop writes body, for count elements or words of size bytes from dst on, bytes at a time.
func (a *assembler) loop(size, bytes int, body func(address reg.Register)) {
	address := a.Load(a.Param("dst"), a.GP64())
	count := a.Load(a.Param("count"), a.GP64())
	a.Label("loop")
	body(address)
	a.ADDQ(operand.I32(bytes), address)
	a.SUBQ(operand.I32(bytes/size), count)
	a.JNZ(operand.LabelRef("loop"))
	a.VZEROUPPER()
	a.RET()
}

// ofThree adapts an instruction that has only one form.
func ofThree(plain func(x, y, z operand.Op)) instruction {
	return func(operands ...operand.Op) { plain(operands[0], operands[1], operands[2]) }
}
