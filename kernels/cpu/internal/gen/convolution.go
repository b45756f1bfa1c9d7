package main

import (
	"fmt"
	"strings"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The offsets of the fields of the tile of package convolution, in bytes.
const (
	sumDepth = 8 * iota
	sumSteps
	sumA
	sumB
	sumC
	sumARow
	sumCRow
	sumAdds
	sumTimes
)

// The offsets of the fields of the patch of package convolution, in bytes.
const (
	patchRows = 8 * iota
	patchColumns
	patchSkip
	patchY
	patchC
	patchCRow
	patchAdds
	patchX
)

// writeConvolution writes the kernels of convolutions, and their tables.
func writeConvolution(f *file) {
	for _, double := range []bool{false, true} {
		for _, wide := range []bool{false, true} {
			a := &assembler{Context: f.context, file: f, wide: wide, double: double}
			a.sumTiles()
			a.patchTiles()
			a.dots()
			a.blends()
			if wide {
				a.packTerms()
			}
		}
	}
	f.each(false, (*assembler).tileTurnBelow)
	f.each(true, (*assembler).tileTurnBelow)
	f.each(false, (*assembler).depthwiseStrip)
	f.each(true, (*assembler).depthwiseStrip)
	f.each(false, (*assembler).stripGradient)
	f.each(true, (*assembler).stripGradient)
	for _, double := range []bool{false, true} {
		f.each(double, (*assembler).winogradInput)
		f.each(double, (*assembler).winogradOutput)
		f.each(double, (*assembler).winogradGradient)
		f.each(double, (*assembler).winogradWeights)
		f.each(double, (*assembler).evenRows)
		f.each(double, (*assembler).fold)
		f.each(double, (*assembler).mergeRows)
	}
	f.each(false, (*assembler).copyPlaneRows)
	f.each(false, (*assembler).streamRows)
	f.storeFence()
	f.fetchRows()
	f.each(false, (*assembler).addRows)
	f.each(true, (*assembler).addRows)
}

// sumHeights are the numbers of rows that there is a tile for, with their vectors: for few rows more, so that the sums do not
// wait for each other.
func (a *assembler) sumHeights() (rows []int, vectors func(rows int) int) {
	if a.wide {
		return []int{1, 2, 3, 4, 6, 8, 10, 12, 14}, func(rows int) int {
			if rows <= 6 {
				return 4
			}
			return 2
		}
	}
	return []int{1, 2, 3, 4, 6}, func(rows int) int {
		if rows <= 2 {
			return 4
		}
		return 2
	}
}

func (a *assembler) sumTiles() {
	heights, width := a.sumHeights()
	var table strings.Builder
	for _, rows := range heights {
		kernel := func(vectors int) string {
			a.sumTile(rows, vectors)
			return a.sumName(rows, vectors) + a.suffix()
		}
		narrow, wide := "nil", "nil"
		run := kernel(width(rows))
		if width(rows) == 2 {
			narrow = kernel(1)
		}
		if a.wide && rows == 8 || !a.wide && rows == 4 {
			wide = kernel(3)
		}
		fmt.Fprintf(&table, "\t{%d, %d, %s, %s, %s},\n", rows, width(rows), run, narrow, wide)
	}
	a.file.appendix += fmt.Sprintf("\n// %sSums has the kernels of sums by their rows.\nvar %[1]sSums = []sumKernel{\n%s}\n", a.elementName()+a.suffix(), table.String())
}

func (a *assembler) sumName(rows, vectors int) string {
	return fmt.Sprintf("%sSum%dx%d", a.elementName(), rows, vectors)
}

// rowsAt returns where rows are that lie step apart from address; those from the seventh on, which address7 is for, if moved is
// called after each change of address.
func (a *assembler) rowsAt(rows int, address, step reg.GPVirtual) (row func(int) operand.Mem, moved func()) {
	step3, step5, step7, address7 := a.GP64(), a.GP64(), a.GP64(), a.GP64()
	if rows > 3 {
		a.LEAQ(operand.Mem{Base: step, Index: step, Scale: 2}, step3)
	}
	if rows > 5 {
		a.LEAQ(operand.Mem{Base: step, Index: step, Scale: 4}, step5)
	}
	if rows > 7 {
		a.LEAQ(operand.Mem{Base: step, Index: step3, Scale: 2}, step7)
	}
	moved = func() {
		if rows > 7 {
			a.LEAQ(operand.Mem{Base: address, Index: step7, Scale: 1}, address7)
		}
	}
	row = func(row int) operand.Mem {
		m := operand.Mem{Base: address}
		if row >= 7 {
			m.Base, row = address7, row-7
		}
		switch row {
		case 1, 2, 4:
			m.Index, m.Scale = step, uint8(row)
		case 3, 6:
			m.Index, m.Scale = step3, uint8(row/3)
		case 5:
			m.Index, m.Scale = step5, 1
		}
		return m
	}
	return row, moved
}

// zeros returns rows of vectors that are zero.
func (a *assembler) zeros(rows, vectors int) [][]vector {
	sums := make([][]vector, rows)
	for i := range sums {
		for range vectors {
			sum := a.vector()
			if a.wide {
				a.VPXORD(sum, sum, sum)
			} else {
				a.VXORPS(sum, sum, sum)
			}
			sums[i] = append(sums[i], sum)
		}
	}
	return sums
}

// multiplyAdd adds to the sums the products of a factor for each row with adjacent vectors at others.
func (a *assembler) multiplyAdd(sums [][]vector, row func(int) operand.Mem, others operand.Mem) {
	fused, move := a.of(a.VFMADD231PS, a.VFMADD231PD), a.of(a.VMOVUPS, a.VMOVUPD)
	lines := make([]vector, len(sums[0]))
	for j := range lines {
		lines[j] = a.vector()
		at := others
		at.Disp += j * a.bytes()
		move(at, lines[j])
	}
	for i := range sums {
		factor := a.spread(row(i))
		for j, line := range lines {
			fused(factor, line, sums[i][j])
		}
	}
}

// storeSums writes sums to rows of C, or adds them to what is there if adds is not zero. The address is behind the rows after it.
func (a *assembler) storeSums(sums [][]vector, addressC, rowC, adds reg.GPVirtual) {
	add, move := a.of(a.VADDPS, a.VADDPD), a.of(a.VMOVUPS, a.VMOVUPD)
	at := func(address reg.Register, j int) operand.Mem { return operand.Mem{Base: address, Disp: j * a.bytes()} }
	a.TESTQ(adds, adds)
	a.JZ(operand.LabelRef("store"))
	address := a.GP64()
	a.MOVQ(addressC, address)
	for _, row := range sums {
		for j, sum := range row {
			add(at(address, j), sum, sum)
		}
		a.ADDQ(rowC, address)
	}
	a.Label("store")
	for _, row := range sums {
		for j, sum := range row {
			move(sum, at(addressC, j))
		}
		a.ADDQ(rowC, addressC)
	}
}

// sumTile writes the kernel of one height. Each step says by how many bytes its elements of A and B are away from the first.
func (a *assembler) sumTile(rows, vectors int) {
	a.begin(a.sumName(rows, vectors), "tile *byte", fmt.Sprintf("computes %d rows of %d vectors.", rows, vectors))
	tile := a.Load(a.Param("tile"), a.GP64())
	field := func(offset int) operand.Mem { return operand.Mem{Base: tile, Disp: offset} }
	get := func(offset int) reg.GPVirtual {
		register := a.GP64()
		a.MOVQ(field(offset), register)
		return register
	}
	startA, startB, addressC, rowA := get(sumA), get(sumB), get(sumC), get(sumARow) // No address is put back that may be behind the end of memory.
	addressA, addressB := a.GP64(), a.GP64()
	row, moved := a.rowsAt(rows, addressA, rowA)
	a.Label("rows")
	sums := a.zeros(rows, vectors)
	steps, count := get(sumSteps), get(sumDepth)
	a.TESTQ(count, count)
	a.JZ(operand.LabelRef("sums"))
	a.Label("step")
	a.MOVQ(operand.Mem{Base: steps}, addressA)
	a.MOVQ(operand.Mem{Base: steps, Disp: 8}, addressB)
	a.ADDQ(startA, addressA)
	a.ADDQ(startB, addressB)
	moved()
	a.multiplyAdd(sums, row, operand.Mem{Base: addressB})
	a.ADDQ(operand.U32(16), steps)
	a.DECQ(count)
	a.JNZ(operand.LabelRef("step"))
	a.Label("sums")
	a.storeSums(sums, addressC, get(sumCRow), get(sumAdds))
	next := a.GP64()
	a.IMUL3Q(operand.U8(rows), rowA, next)
	a.ADDQ(next, startA)
	a.DECQ(field(sumTimes))
	a.JNZ(operand.LabelRef("rows"))
	a.VZEROUPPER()
	a.RET()
}

// patchHeights is the largest number of rows for each number of vectors that there is a patch for.
func (a *assembler) patchHeights() map[int]int {
	if a.wide {
		return map[int]int{1: 9, 2: 8, 4: 6}
	}
	return map[int]int{1: 9, 2: 6}
}

func (a *assembler) patchTiles() {
	most := a.patchHeights()
	var table strings.Builder
	for vectors := 1; vectors <= 4; vectors++ {
		fmt.Fprint(&table, "\t{")
		for rows := 1; rows <= most[vectors]; rows++ {
			a.patchTile(rows, vectors)
			fmt.Fprintf(&table, "%s, ", a.elementName()+fmt.Sprintf("Patch%dx%d", rows, vectors)+a.suffix())
		}
		fmt.Fprintln(&table, "},")
	}
	a.file.appendix += fmt.Sprintf("\n// %sPatches has the kernels of patches by vectors and rows, less one.\nvar %[1]sPatches = [][]kernel{\n%s}\n",
		a.elementName()+a.suffix(), table.String())
}

// patchTile writes the kernel of one size of patch: sums over rows and columns of the products of elements of X, from one place
// for each row of C, with vectors of Y.
func (a *assembler) patchTile(rows, vectors int) {
	a.begin(fmt.Sprintf("%sPatch%dx%d", a.elementName(), rows, vectors), "patch *byte", fmt.Sprintf("computes %d rows of %d vectors.", rows, vectors))
	patch := a.Load(a.Param("patch"), a.GP64())
	field := func(offset int) operand.Mem { return operand.Mem{Base: patch, Disp: offset} }
	get := func(offset int) reg.GPVirtual {
		register := a.GP64()
		a.MOVQ(field(offset), register)
		return register
	}
	x := make([]reg.GPVirtual, rows)
	for i := range x {
		x[i] = get(patchX + 8*i)
	}
	y, lines, count, offset := get(patchY), get(patchRows), a.GP64(), a.GP64()
	sums := a.zeros(rows, vectors)
	a.XORQ(offset, offset)
	a.Label("row")
	a.MOVQ(field(patchColumns), count)
	a.Label("step")
	a.multiplyAdd(sums, func(i int) operand.Mem { return operand.Mem{Base: x[i], Index: offset, Scale: 1} }, operand.Mem{Base: y})
	a.ADDQ(operand.U32(vectors*a.bytes()), y)
	a.ADDQ(operand.U32(a.elementBytes()), offset)
	a.DECQ(count)
	a.JNZ(operand.LabelRef("step"))
	a.ADDQ(field(patchSkip), offset)
	a.DECQ(lines)
	a.JNZ(operand.LabelRef("row"))
	addressC, rowC, adds := get(patchC), get(patchCRow), get(patchAdds)
	a.storeSums(sums, addressC, rowC, adds)
	a.VZEROUPPER()
	a.RET()
}
