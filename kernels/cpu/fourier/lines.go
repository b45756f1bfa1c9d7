package fourier

import (
	"unsafe"

	"github.com/weft-nd/weft/dtype"
)

// Lines are numbers in memory, line by line. Distances are in bytes.
type Lines struct {
	Start unsafe.Pointer
	Next  int  // from one line to the next
	Step  int  // from one number of a line to the next
	Part  int  // from the real part of a number to the imaginary one
	Real  bool // there are no imaginary parts
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

// load copies count numbers of so many lines to x, as far apart there as at says.
func load[T dtype.Float](x []Number[T], at steps, l Lines, lines, count int) {
	size := int(unsafe.Sizeof(T(0)))
	isNumber := !l.Real && l.Part == size
	switch {
	case count == 0:
	case isNumber && l.Next == 2*size && at.line == 1:
		for number := range count {
			copy(x[number*at.number:][:lines], unsafe.Slice((*Number[T])(unsafe.Add(l.Start, number*l.Step)), lines))
		}
	case isNumber && l.Step == 2*size && at.number == 1:
		for line := range lines {
			copy(x[line*at.line:][:count], unsafe.Slice((*Number[T])(unsafe.Add(l.Start, line*l.Next)), count))
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

// store copies count numbers of so many lines from x, where they are as far apart as at says.
func store[T dtype.Float](l Lines, x []Number[T], at steps, lines, count int) {
	size := int(unsafe.Sizeof(T(0)))
	isNumber := !l.Real && l.Part == size
	switch {
	case isNumber && l.Next == 2*size && at.line == 1:
		for number := range count {
			copy(unsafe.Slice((*Number[T])(unsafe.Add(l.Start, number*l.Step)), lines), x[number*at.number:][:lines])
		}
	case isNumber && l.Step == 2*size && at.number == 1:
		for line := range lines {
			copy(unsafe.Slice((*Number[T])(unsafe.Add(l.Start, line*l.Next)), count), x[line*at.line:][:count])
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

// scale multiplies the numbers of x.
func scale[T dtype.Float](x []Number[T], factor T) {
	for i, number := range x {
		x[i] = number.scaled(factor)
	}
}
