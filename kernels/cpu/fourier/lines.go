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

// load copies count numbers of so many lines to x, where lines are room numbers apart.
func load[T dtype.Float](x []Number[T], room int, l Lines, lines, count int) {
	size := int(unsafe.Sizeof(T(0)))
	switch {
	case count == 0:
	case !l.Real && l.Step == 2*size && l.Part == size:
		for line := range lines {
			copy(x[line*room:][:count], unsafe.Slice((*Number[T])(unsafe.Add(l.Start, line*l.Next)), count))
		}
	case l.Real:
		for number := range count {
			at, from := number, unsafe.Add(l.Start, number*l.Step)
			for line := range lines {
				x[at] = Number[T]{Re: *(*T)(unsafe.Add(from, line*l.Next))}
				at += room
			}
		}
	default:
		for number := range count {
			at, from := number, unsafe.Add(l.Start, number*l.Step)
			for line := range lines {
				re := unsafe.Add(from, line*l.Next)
				x[at] = Number[T]{*(*T)(re), *(*T)(unsafe.Add(re, l.Part))}
				at += room
			}
		}
	}
}

// store copies count numbers of so many lines from x, where lines are room numbers apart.
func store[T dtype.Float](l Lines, x []Number[T], room, lines, count int) {
	size := int(unsafe.Sizeof(T(0)))
	switch {
	case !l.Real && l.Step == 2*size && l.Part == size:
		for line := range lines {
			copy(unsafe.Slice((*Number[T])(unsafe.Add(l.Start, line*l.Next)), count), x[line*room:][:count])
		}
	case l.Real:
		for number := range count {
			at, to := number, unsafe.Add(l.Start, number*l.Step)
			for line := range lines {
				*(*T)(unsafe.Add(to, line*l.Next)) = x[at].Re
				at += room
			}
		}
	default:
		for number := range count {
			at, to := number, unsafe.Add(l.Start, number*l.Step)
			for line := range lines {
				re := unsafe.Add(to, line*l.Next)
				*(*T)(re), *(*T)(unsafe.Add(re, l.Part)) = x[at].Re, x[at].Im
				at += room
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
