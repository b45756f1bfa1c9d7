package gemm

import (
	"sync"
	"unsafe"
)

// Words are packed in blocks: of 16 lines, which are rows of A or columns of B, by 16 words along k. AMX has tiles of that size.
const (
	wordBytes  = 4
	blockWords = 16 // along k
	blockLines = 16
	blockBytes = blockLines * blockWords * wordBytes
)

// packer is what packs narrow elements of one type.
type packer struct {
	perWord int  // elements in a word
	size    int  // bytes of an element
	lanes   int  // words in a vector
	whole   bool // blocks that matrices do not fill are packed wholly, with zeros

	// The assembly, where there is some: it makes rows of words of rows of elements, transposes squares of words, copies
	// rows of A as the kernel wants them (nil: as they are), and makes int16 of int8 (nil: they remain what they are).
	interleave func(dst, src *byte, rows, dstStep, srcStep int, mask uint64)
	turn       func(dst, src *byte, dstStep, srcStep, count int)
	copy       func(dst, src *byte, rows, vectors, dstStep, srcStep int, mask uint64)
	widen      func(dst, src *byte, count int)
}

// masks tells whether the assembly reads any number of elements.
func (p *packer) masks() bool { return p.lanes == blockLines && !p.whole }

// operand is A or B. Steps are in bytes.
type operand struct {
	*packer
	lineStep, kStep int
	byWords         bool // B: a packed row is of words of 16 lines, and not of words of one line
}

// spare is where blocks are put together.
type spare struct{ copied, packed, words [blockBytes]byte }

var spares = sync.Pool{New: func() any { return new(spare) }}

// packLines packs so many lines of so many elements along k, in the order of memory. Where a word of a line goes is
// what to returns, and the rows of a block are dstStep bytes apart. Behind a packed row, or the last of a panel's rows,
// there may be words of no meaning up to where a block ends.
func (o *operand) packLines(src unsafe.Pointer, lines, terms, dstStep int, to func(line, word int) unsafe.Pointer) {
	if o.turn == nil {
		o.packPlainly(src, lines, terms, to)
		return
	}
	if o.kStep == o.size && !o.byWords && o.masks() {
		o.copyRows(to(0, 0), src, lines, terms*o.size, dstStep, o.lineStep)
		return
	}
	s := spares.Get().(*spare)
	defer spares.Put(s)
	length := blockWords * o.perWord
	block := func(line, first int) {
		from := unsafe.Add(src, line*o.lineStep+first*o.kStep)
		o.packBlock(s, to(line, first/o.perWord), from, dstStep, min(blockLines, lines-line), min(length, terms-first))
	}
	if o.kStep == o.size {
		for line := 0; line < lines; line += blockLines {
			for first := 0; first < terms; first += length {
				block(line, first)
			}
		}
		return
	}
	for first := 0; first < terms; first += length {
		for line := 0; line < lines; line += blockLines {
			block(line, first)
		}
	}
}

// packBlock packs a block of some lines of some elements.
func (o *operand) packBlock(s *spare, dst, src unsafe.Pointer, dstStep, lines, count int) {
	words := pieces(count, o.perWord)
	switch full := lines == blockLines && count == blockWords*o.perWord; {
	case full && o.widen == nil && (o.kStep == o.size || o.lineStep == o.size):
		o.packWhole(s, dst, src, dstStep, o.size, o.lineStep, o.kStep)
	case o.lineStep == o.size && o.byWords && o.masks():
		o.interleaveSome(s, dst, src, dstStep, lines, count)
	case full || o.whole:
		o.packCopy(s, dst, src, dstStep, lines, count)
	default:
		o.packCopy(s, unsafe.Pointer(&s.packed), src, blockWords*wordBytes, lines, count)
		rows, bytes := lines, words*wordBytes
		if o.byWords {
			rows, bytes = words, lines*wordBytes
		}
		for row := range rows {
			copy(unsafe.Slice((*byte)(unsafe.Add(dst, row*dstStep)), bytes), s.packed[row*blockWords*wordBytes:])
		}
	}
}

// packWhole packs a whole block of elements of so many bytes, along one side of which they are adjacent.
func (o *operand) packWhole(s *spare, dst, src unsafe.Pointer, dstStep, size, lineStep, kStep int) {
	const row = blockWords * wordBytes
	switch {
	case kStep == size && o.byWords:
		o.turnBlock(dst, src, dstStep, lineStep)
	case kStep == size:
		o.copyRows(dst, src, blockLines, row, dstStep, lineStep)
	case o.byWords:
		o.interleave((*byte)(dst), (*byte)(src), blockWords, dstStep, kStep, allLines)
	default:
		o.interleave(&s.words[0], (*byte)(src), blockWords, row, kStep, allLines)
		o.turnBlock(dst, unsafe.Pointer(&s.words), dstStep, row)
		if o.copy != nil {
			o.copyRows(dst, dst, blockLines, row, dstStep, dstStep)
		}
	}
}

// allLines is the mask of the lines of a block.
const allLines = 1<<blockLines - 1

// interleaveSome packs a part of a block whose lines are adjacent to words of lines.
func (o *operand) interleaveSome(s *spare, dst, src unsafe.Pointer, dstStep, lines, count int) {
	whole, mask := count/o.perWord, uint64(1)<<lines-1
	if whole > 0 {
		o.interleave((*byte)(dst), (*byte)(src), whole, dstStep, o.kStep, mask)
	}
	if rest := count % o.perWord; rest > 0 { // Zeros follow them.
		clear(s.copied[:blockLines*wordBytes])
		for i := range rest {
			from := unsafe.Slice((*byte)(unsafe.Add(src, (whole*o.perWord+i)*o.kStep)), lines*o.size)
			copy(s.copied[i*blockLines*o.size:], from)
		}
		o.interleave((*byte)(unsafe.Add(dst, whole*dstStep)), &s.copied[0], 1, dstStep, blockLines*o.size, mask)
	}
}

// copyRows copies rows of so many bytes, and writes zeros behind them, or what an element becomes that is zero, up to where a vector ends.
func (o *operand) copyRows(dst, src unsafe.Pointer, rows, bytes, dstStep, srcStep int) {
	if o.copy != nil {
		last := (bytes-1)%64 + 1
		o.copy((*byte)(dst), (*byte)(src), rows, pieces(bytes, 64), dstStep, srcStep, ^uint64(0)>>(64-last))
		return
	}
	for row := range rows {
		copy(unsafe.Slice((*byte)(unsafe.Add(dst, row*dstStep)), bytes), unsafe.Slice((*byte)(unsafe.Add(src, row*srcStep)), bytes))
	}
}

// packCopy packs a copy of some lines of some elements, with zeros beside them and int16 for int8 if they are to be.
func (o *operand) packCopy(s *spare, dst, src unsafe.Pointer, dstStep, lines, count int) {
	s.copied = [blockBytes]byte{}
	size := wordBytes / o.perWord
	lineStep, kStep := blockWords*wordBytes, size
	if o.lineStep == o.size && o.kStep != o.size {
		lineStep, kStep = size, blockLines*size
		for k := range count {
			o.copyAdjacent(s.copied[k*kStep:], unsafe.Add(src, k*o.kStep), lines)
		}
	} else {
		for line := range lines {
			from, to := unsafe.Add(src, line*o.lineStep), s.copied[line*lineStep:]
			if o.kStep == o.size {
				o.copyAdjacent(to, from, count)
				continue
			}
			for k := range count {
				o.copyAdjacent(to[k*size:], unsafe.Add(from, k*o.kStep), 1)
			}
		}
	}
	o.packWhole(s, dst, unsafe.Pointer(&s.copied), dstStep, size, lineStep, kStep)
}

// copyAdjacent copies so many elements, or makes int16 of them.
func (o *operand) copyAdjacent(dst []byte, src unsafe.Pointer, count int) {
	if o.widen == nil {
		copy(dst, unsafe.Slice((*byte)(src), count*o.size))
		return
	}
	whole := count &^ 15
	if whole > 0 {
		o.widen(&dst[0], (*byte)(src), whole)
	}
	for i := whole; i < count; i++ {
		*(*int16)(unsafe.Pointer(&dst[2*i])) = int16(*(*int8)(unsafe.Add(src, i)))
	}
}

// turnBlock transposes a block of words.
func (o *operand) turnBlock(dst, src unsafe.Pointer, dstStep, srcStep int) {
	for first := 0; first < blockLines; first += o.lanes {
		o.turn((*byte)(unsafe.Add(dst, first*wordBytes)), (*byte)(unsafe.Add(src, first*srcStep)), dstStep, srcStep, blockWords/o.lanes)
	}
}

// packPlainly is packLines where there is no assembly.
func (o *operand) packPlainly(src unsafe.Pointer, lines, terms int, to func(line, word int) unsafe.Pointer) {
	for line := range lines {
		for first := 0; first < terms; first += len(quad{}) {
			var q quad
			for i := range min(len(q), terms-first) {
				q[i] = *(*int8)(unsafe.Add(src, line*o.lineStep+(first+i)*o.kStep))
			}
			*(*quad)(to(line, first/len(q))) = q
		}
	}
}
