package fourier

import (
	"unsafe"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/internal/features"
)

// Lines are numbers in memory, line by line. Distances are in bytes.
type Lines struct {
	Start unsafe.Pointer
	Next  int  // from one line to the next
	Step  int  // from one number of a line to the next
	Part  int  // from the real part of a number to the imaginary one
	Real  bool // there are no imaginary parts
}

// linesOf are the numbers of x, one line.
func linesOf[T dtype.Float](x []Number[T]) Lines {
	size := int(unsafe.Sizeof(T(0)))
	return Lines{Start: unsafe.Pointer(unsafe.SliceData(x)), Step: 2 * size, Part: size}
}

// swapped are the lines with the parts of the numbers exchanged.
func (l Lines) swapped() Lines {
	l.Start, l.Part = unsafe.Add(l.Start, l.Part), -l.Part
	return l
}

// pairs are lines of real numbers as half as many complex ones: a number and the one behind it are the parts.
func (l Lines) pairs() Lines {
	l.Step, l.Part, l.Real = 2*l.Step, l.Step, false
	return l
}

// from are the lines without the first numbers of each.
func (l Lines) from(number int) Lines {
	l.Start = unsafe.Add(l.Start, number*l.Step)
	return l
}

// behind are the lines without so many of them.
func (l Lines) behind(lines int) Lines {
	l.Start = unsafe.Add(l.Start, lines*l.Next)
	return l
}

// load copies count numbers of so many lines to x, as far apart there as at says.
func load[T dtype.Float](x []Number[T], at steps, l Lines, lines, count int) {
	size := int(unsafe.Sizeof(T(0)))
	switch {
	case count == 0:
	case at.line == 1 && l.areBeside(size):
		for number := range count {
			copy(x[number*at.number:][:lines], unsafe.Slice((*Number[T])(unsafe.Add(l.Start, number*l.Step)), lines))
		}
	case at.line == 1 && l.areBesideExchanged(size):
		for number := range count {
			scale(x[number*at.number:][:lines], unsafe.Slice((*Number[T])(unsafe.Add(l.Start, number*l.Step+l.Part)), lines), 1, true)
		}
	case at.number == 1 && l.isContiguous(size):
		for line := range lines {
			numbers, exchanged := contiguous[T](l, line, count)
			if to := x[line*at.line:][:count]; exchanged {
				scale(to, numbers, 1, true)
			} else {
				copy(to, numbers)
			}
		}
	case l.Real:
		for number := range count {
			place, from := number*at.number, unsafe.Add(l.Start, number*l.Step)
			for line := range lines {
				x[place] = Number[T]{Re: *(*T)(unsafe.Add(from, line*l.Next))}
				place += at.line
			}
		}
	default:
		for number := range count {
			place, from := number*at.number, unsafe.Add(l.Start, number*l.Step)
			for line := range lines {
				re := unsafe.Add(from, line*l.Next)
				x[place] = Number[T]{*(*T)(re), *(*T)(unsafe.Add(re, l.Part))}
				place += at.line
			}
		}
	}
}

// store writes the products of count numbers of so many lines of x, where they are as far apart as at says, and a factor.
func store[T dtype.Float](l Lines, x []Number[T], at steps, lines, count int, factor T) {
	size := int(unsafe.Sizeof(T(0)))
	if at.number == 1 && l.isContiguous(size) {
		for line := range lines {
			numbers, exchanged := contiguous[T](l, line, count)
			if from := x[line*at.line:][:count]; exchanged || factor != 1 {
				scale(numbers, from, factor, exchanged)
			} else {
				copy(numbers, from)
			}
		}
		return
	}
	if factor != 1 {
		if at.line == 1 {
			scale(x[:count*at.number], x[:count*at.number], factor, false)
		} else {
			for line := range lines {
				scale(x[line*at.line:], x[line*at.line:][:count], factor, false)
			}
		}
	}
	switch {
	case at.number == 1 && l.areBeside(size):
		storeAcross(l, x, at.line, lines, count)
	case at.line == 1 && l.areBeside(size):
		for number := range count {
			copy(unsafe.Slice((*Number[T])(unsafe.Add(l.Start, number*l.Step)), lines), x[number*at.number:][:lines])
		}
	case at.line == 1 && l.areBesideExchanged(size):
		for number := range count {
			scale(unsafe.Slice((*Number[T])(unsafe.Add(l.Start, number*l.Step+l.Part)), lines), x[number*at.number:][:lines], 1, true)
		}
	case l.Real:
		for number := range count {
			place, to := number*at.number, unsafe.Add(l.Start, number*l.Step)
			for line := range lines {
				*(*T)(unsafe.Add(to, line*l.Next)) = x[place].Re
				place += at.line
			}
		}
	default:
		for number := range count {
			place, to := number*at.number, unsafe.Add(l.Start, number*l.Step)
			for line := range lines {
				re := unsafe.Add(to, line*l.Next)
				*(*T)(re), *(*T)(unsafe.Add(re, l.Part)) = x[place].Re, x[place].Im
				place += at.line
			}
		}
	}
}

// storeAcross writes count numbers of so many lines of x, which are room numbers apart, to where a number of each lies beside one another.
func storeAcross[T dtype.Float](l Lines, x []Number[T], room, lines, count int) {
	size, doneLines, doneNumbers := int(unsafe.Sizeof(x[0])), 0, 0
	if vector := lanes[T](features.Best); features.Best > features.Portable && lines >= vector && count >= vector {
		doneLines, doneNumbers = lines&^(vector-1), count&^(vector-1)
		assembledOf[T](vector).acrossRows((*byte)(l.Start), (*byte)(unsafe.Pointer(&x[0])), l.Step, room*size, doneLines, doneNumbers)
	}
	for number := range count {
		first := 0
		if number < doneNumbers {
			first = doneLines
		}
		to := unsafe.Slice((*Number[T])(unsafe.Add(l.Start, number*l.Step)), lines)
		for line := first; line < lines; line++ {
			to[line] = x[line*room+number]
		}
	}
}

// scale writes the products of x and a factor to y, which may be x, and exchanges their parts if it is told to.
func scale[T dtype.Float](y, x []Number[T], factor T, exchange bool) {
	y = y[:len(x)]
	for i := assembledScale(y, x, factor, exchange); i < len(x); i++ {
		number := x[i].scaled(factor)
		if exchange {
			number.Re, number.Im = number.Im, number.Re
		}
		y[i] = number
	}
}

// isContiguous reports whether the numbers of a line, whose parts have size bytes, follow one another, their parts in order or exchanged.
func (l Lines) isContiguous(size int) bool {
	return !l.Real && l.Step == 2*size && (l.Part == size || l.Part == -size)
}

// areBeside reports whether numbers of neighbouring lines, whose parts have size bytes, follow one another.
func (l Lines) areBeside(size int) bool { return !l.Real && l.Next == 2*size && l.Part == size }

// areBesideExchanged is areBeside of numbers whose parts are in the other order.
func (l Lines) areBesideExchanged(size int) bool {
	return !l.Real && l.Next == 2*size && l.Part == -size
}

// contiguous returns count numbers of a line where they follow one another.
func contiguous[T dtype.Float](l Lines, line, count int) (numbers []Number[T], exchanged bool) {
	first := unsafe.Add(l.Start, line*l.Next)
	if exchanged = l.Part < 0; exchanged {
		first = unsafe.Add(first, l.Part)
	}
	return unsafe.Slice((*Number[T])(first), count), exchanged
}
