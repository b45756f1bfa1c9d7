package main

import (
	"fmt"
	"strings"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// stepBytes is how much of each operand a step of a loop over a row takes, at every level: rows have as many lanes as
// elements in it, so that sums are the same.
const stepBytes = 64

// rowLoop is a loop over the elements of a row.
type rowLoop struct {
	name       string
	parameters string // beside count; E is the element type
	doc        string
	write      func(row)
	wideSingle bool // there is only one for float32 and AVX-512
}

// writeRows writes loops for both element types and levels, and a table of them.
func writeRows(f *file, loops []rowLoop) {
	var table strings.Builder
	table.WriteString("\nfunc init() {\n")
	for _, double := range []bool{false, true} {
		element := "float32"
		if double {
			element = "float64"
		}
		size := strings.TrimPrefix(element, "float")
		for _, l := range loops {
			f.each(double, func(a *assembler) {
				if l.wideSingle && (double || !a.wide) {
					return
				}
				name := l.name + strings.ToUpper(element[:1]) + element[1:]
				a.begin(name, strings.ReplaceAll(l.parameters, "E", element), l.doc+"; see rowLoops.")
				l.write(row{a})
				fmt.Fprintf(&table, "\trowLoops%s[level%s].%s = %s%[2]s\n", size, a.suffix(), l.name, name)
			})
		}
	}
	f.appendix = table.String() + "}\n"
}

// row writes a loop over a row.
type row struct{ asm *assembler }

// size is that of an element, and lanes how many are in a step.
func (r row) size() int {
	if r.asm.double {
		return 8
	}
	return 4
}

func (r row) lanes() int { return stepBytes / r.size() }

// vectors is how many vectors a step takes of each operand.
func (r row) vectors() int { return stepBytes / r.asm.bytes() }

// parameter returns a vector that repeats a parameter of the element type.
func (r row) parameter(name string) vector {
	place, err := r.asm.Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	return r.asm.spread(place.Addr)
}

// numbers returns vectors that repeat the elements of an array that a parameter points to.
func (r row) numbers(name string, count int) (all []vector) {
	base := r.asm.Load(r.asm.Param(name), r.asm.GP64())
	for i := range count {
		all = append(all, r.asm.spread(operand.Mem{Base: base, Disp: i * r.size()}))
	}
	return all
}

// rowStep is one pass through the loop, of which the last may take fewer elements.
type rowStep struct {
	row
	pointers map[string]reg.Register
	offset   int            // bytes from there
	masks    []reg.Register // of the elements of each vector that are there; nil if all are
	apart    reg.Register   // how many bytes the row is from the pointers; nil if it is there
}

// steps writes body for whole steps, and for the rest of the row.
func (r row) steps(operands []string, body func(s rowStep)) {
	r.bundles([]int{1}, operands, func(steps ...rowStep) { body(steps[0]) })
}

// pairs is bundles of two steps. In AVX2, which has too few registers, a pair is a step for each half.
func (r row) pairs(operands []string, body func(steps ...rowStep)) {
	r.bundles([]int{2, 1}, operands, body)
}

// bundles writes body for as many whole steps at a time as the first size says, then for what the next ones say of those that are left, and
// for the rest of the row. The last size is 1.
func (r row) bundles(sizes []int, operands []string, body func(steps ...rowStep)) {
	pointers := map[string]reg.Register{}
	for _, name := range operands {
		pointers[name] = r.asm.Load(r.asm.Param(name), r.asm.GP64())
	}
	count := r.asm.Load(r.asm.Param("count"), r.asm.GP64())
	for _, size := range sizes {
		label, behind := fmt.Sprintf("steps%d", size), fmt.Sprintf("behind%d", size)
		r.asm.SUBQ(operand.I32(size*r.lanes()), count)
		r.asm.JL(operand.LabelRef(behind))
		r.asm.Label(label)
		steps := []rowStep{}
		for i := range size {
			steps = append(steps, rowStep{row: r, pointers: pointers, offset: i * stepBytes})
		}
		body(steps...)
		for _, name := range operands {
			r.asm.ADDQ(operand.I32(size*stepBytes), pointers[name])
		}
		r.asm.SUBQ(operand.I32(size*r.lanes()), count)
		r.asm.JGE(operand.LabelRef(label))
		r.asm.Label(behind)
		r.asm.ADDQ(operand.I32(size*r.lanes()), count)
	}
	r.asm.JZ(operand.LabelRef("done"))
	body(rowStep{row: r, pointers: pointers, masks: r.masksOf(count)})
	r.asm.Label("done")
}

// ahead is how many bytes before its use loops over rows fetch memory, that of rows behind theirs too: the hardware begins again at every
// page.
const ahead = 4096

// prefetch fetches what loops over the next rows read or write. The last step of a row does not.
func (s rowStep) prefetch(names ...string) {
	if s.masks != nil {
		return
	}
	for _, name := range names {
		place := s.place(name, 0)
		place.Disp += ahead
		s.asm.PREFETCHT0(place)
	}
}

// fetch fetches the step itself of an operand, for later.
func (s rowStep) fetch(name string) {
	for i := 0; i < s.vectors() && s.masks == nil; i += max(1, 64/s.asm.bytes()) {
		s.asm.PREFETCHT0(s.place(name, i))
	}
}

// masksOf returns the masks of count elements.
func (r row) masksOf(count reg.Register) []reg.Register {
	if r.asm.wide {
		bits, mask := r.asm.GP64(), r.asm.K()
		r.asm.MOVQ(count, reg.RCX)
		r.asm.MOVQ(operand.U32(1), bits)
		r.asm.SHLQ(reg.CL, bits)
		r.asm.DECQ(bits)
		r.asm.KMOVW(bits.As32(), mask)
		return []reg.Register{mask}
	}
	ones := ^uint64(0)
	table := r.asm.table("rowMasks", ones, ones, ones, ones, ones, ones, ones, ones, 0, 0, 0, 0, 0, 0, 0, 0)
	address, bytes := r.asm.GP64(), r.asm.GP64()
	r.asm.LEAQ(table.Offset(stepBytes), address)
	r.asm.MOVQ(count, bytes)
	if r.asm.double {
		r.asm.SHLQ(operand.U8(3), bytes)
	} else {
		r.asm.SHLQ(operand.U8(2), bytes)
	}
	r.asm.SUBQ(bytes, address)
	return []reg.Register{r.asm.load(address, 0), r.asm.load(address, 32)}
}

// load returns the elements of an operand, zero for those that are not there.
func (s rowStep) load(name string) (all []vector) {
	for i := range s.vectors() {
		all = append(all, s.loadAt(name, i))
	}
	return all
}

// inRow returns s for the row that is so many bytes from the pointers.
func (s rowStep) inRow(apart reg.Register) rowStep {
	s.apart = apart
	return s
}

// place is where vector i of an operand lies.
func (s rowStep) place(name string, i int) operand.Mem {
	return operand.Mem{Base: s.pointers[name], Index: s.apart, Scale: 1, Disp: s.offset + i*s.asm.bytes()}
}

// loadAt is load for vector i.
func (s rowStep) loadAt(name string, i int) vector {
	memory := s.place(name, i)
	if s.masks == nil {
		return s.asm.loadFrom(memory)
	}
	v := s.asm.vector()
	switch {
	case !s.asm.wide && s.asm.double:
		s.asm.VMASKMOVPD(memory, s.masks[i], v)
	case !s.asm.wide:
		s.asm.VMASKMOVPS(memory, s.masks[i], v)
	case s.asm.double:
		s.asm.VMOVUPD_Z(memory, s.masks[i], v)
	default:
		s.asm.VMOVUPS_Z(memory, s.masks[i], v)
	}
	return v
}

// store writes the elements that are there.
func (s rowStep) store(all []vector, name string) {
	for i, v := range all {
		s.storeAt(v, name, i)
	}
}

// storeAt is store for vector i.
func (s rowStep) storeAt(v vector, name string, i int) {
	memory := s.place(name, i)
	switch {
	case s.masks == nil:
		s.asm.storeTo(v, memory)
	case !s.asm.wide && s.asm.double:
		s.asm.VMASKMOVPD(v, s.masks[i], memory)
	case !s.asm.wide:
		s.asm.VMASKMOVPS(v, s.masks[i], memory)
	case s.asm.double:
		s.asm.VMOVUPD(v, s.masks[i], memory)
	default:
		s.asm.VMOVUPS(v, s.masks[i], memory)
	}
}

// orElse returns vector i with other in place of the elements that are not there.
func (s rowStep) orElse(i int, v, other vector) vector {
	if s.masks == nil {
		return v
	}
	result := s.asm.vector()
	switch {
	case !s.asm.wide && s.asm.double:
		s.asm.VBLENDVPD(s.masks[i], v, other, result)
	case !s.asm.wide:
		s.asm.VBLENDVPS(s.masks[i], v, other, result)
	case s.asm.double:
		s.asm.VBLENDMPD(v, other, s.masks[i], result)
	default:
		s.asm.VBLENDMPS(v, other, s.masks[i], result)
	}
	return result
}

// orZero is orElse with zero.
func (s rowStep) orZero(i int, v vector) vector {
	if s.masks == nil {
		return v
	}
	if !s.asm.wide {
		return s.asm.and(v, s.masks[i])
	}
	result := s.asm.vector()
	if s.asm.double {
		s.asm.VMOVAPD_Z(v, s.masks[i], result)
	} else {
		s.asm.VMOVAPS_Z(v, s.masks[i], result)
	}
	return result
}

// end writes the end of a function without a result.
func (r row) end() {
	r.asm.VZEROUPPER()
	r.asm.RET()
}
