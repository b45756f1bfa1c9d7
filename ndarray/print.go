package ndarray

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/weft-nd/weft/fault"
)

// Arrays of more than summarised elements are printed with the first and last edge elements of each longer axis.
const (
	summarised = 1000
	edge       = 3
)

// String waits for a and returns its elements in nested brackets, as NumPy prints them; if a is in error, the error.
func (a *Array) String() string { return fmt.Sprint(a) }

// Format implements fmt.Formatter. It waits for a. The verb, with its width and precision, is applied to each element, as in
// %.3f; columns are aligned, and of more than 1000 elements only the corners are shown. The verbs v and s choose a form
// that shows up to 8 digits behind the point, complex numbers as in 1.5-2i; %+v adds dtype, shape and device, and %#v is a Go expression. An array in
// error is printed as its error. Format never panics.
func (a *Array) Format(f fmt.State, verb rune) {
	if a == nil || a.tensor().Env() == nil {
		fmt.Fprint(f, "<nil>")
		return
	}
	var text string
	var err error
	if mistake := Try(func() { text, err = a.format(f, verb) }); mistake != nil {
		err = mistake
	}
	if err != nil {
		text = err.Error()
	}
	fmt.Fprint(f, text)
}

func (a *Array) format(f fmt.State, verb rune) (string, error) {
	if verb == 'v' && f.Flag('#') {
		return a.expression()
	}
	shown, cut := a.summary()
	elements, err := boxed(context.Background(), shown)
	if err != nil {
		return "", err
	}
	p := printer{cells: cells(f, verb, elements), shape: shown.Shape(), cut: cut}
	p.align()
	if len(elements) == 0 {
		p.text.WriteString("[]") // as NumPy does: other axes may be of any length
	} else {
		p.print(0, 0)
	}
	if verb == 'v' && f.Flag('+') {
		fmt.Fprintf(&p.text, " %v %s %v", a.DType(), fault.FormatShape(a.Shape()), a.Device())
	}
	return p.text.String(), nil
}

// summary returns the part of a that is printed, and along which axes it lacks the middle.
func (a *Array) summary() (shown *Array, cut []bool) {
	shown, cut = a.reading(), make([]bool, a.Rank())
	if a.Count() <= summarised {
		return shown, cut
	}
	axes := make([]int, a.Rank())
	for axis := range axes {
		axes[axis] = axis
	}
	shape := a.Shape()
	slices.SortFunc(axes, func(i, j int) int { return shape[j] - shape[i] }) // the longest first: less to copy
	for _, axis := range axes {
		if shape[axis] <= 2*edge {
			continue
		}
		cut[axis] = true
		head, tail := make([]any, axis+1), make([]any, axis+1)
		for i := range axis {
			head[i], tail[i] = Whole, Whole
		}
		head[axis], tail[axis] = Span(0, edge), Span(-edge, Open)
		shown = Concat(axis, shown.Index(head...), shown.Index(tail...))
	}
	return shown, cut
}

// printer writes cells in nested brackets.
type printer struct {
	cells []string
	shape []int
	cut   []bool
	text  strings.Builder
}

// align gives all cells the width of the widest.
func (p *printer) align() {
	width := 0
	for _, cell := range p.cells {
		width = max(width, len(cell))
	}
	for i, cell := range p.cells {
		p.cells[i] = strings.Repeat(" ", width-len(cell)) + cell
	}
}

// print writes the part of the array from the given axis on whose first cell is first.
func (p *printer) print(axis, first int) {
	if axis == len(p.shape) {
		p.text.WriteString(p.cells[first])
		return
	}
	size := 1
	for _, n := range p.shape[axis+1:] {
		size *= n
	}
	separator := " "
	if inner := len(p.shape) - axis - 1; inner > 0 {
		separator = strings.Repeat("\n", inner) + strings.Repeat(" ", axis+1)
	}
	p.text.WriteByte('[')
	for i := range p.shape[axis] {
		if i > 0 {
			p.text.WriteString(separator)
		}
		if i == edge && p.cut[axis] {
			p.text.WriteString("..." + separator)
		}
		p.print(axis+1, first+i*size)
	}
	p.text.WriteByte(']')
}
