package ndarray

import (
	"fmt"
	"strings"

	"github.com/weft-nd/weft/fault"
)

// String waits for a and returns its elements in nested brackets, as NumPy prints them; if a is in error, the error.
func (a *Array) String() string { return fmt.Sprint(a) }

// Format implements fmt.Formatter. It waits for a. The verbs v and s print as NumPy does by default; a precision, as in %.3v, is
// that of PrintOptions, and a width that of each element. %+v adds dtype, shape and device, and %#v is a Go expression. Other verbs,
// with their width and precision, are applied to each element, as in %.3f; they are aligned and cut as NumPy does. An array in
// error is printed as its error. Format never panics, and of a large array copies the elements that are shown, no others.
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
	options := PrintOptions{}.withDefaults()
	width, _ := f.Width()
	precision, precise := f.Precision()
	if precise {
		options.Precision = precision
	}
	text, err := a.text(options, func(elements []any) []string {
		switch {
		case verb != 'v' && verb != 's':
			return verbCells(f, verb, elements)
		case a.Rank() == 0 && !precise:
			return []string{pad(scalarText(elements[0]), width)}
		}
		cells := a.numpyCells(elements, options)
		for i, cell := range cells {
			cells[i] = pad(cell, width)
		}
		return cells
	})
	if err == nil && verb == 'v' && f.Flag('+') {
		text += fmt.Sprintf(" %v %s %v", a.DType(), fault.FormatShape(a.Shape()), a.Device())
	}
	return text, err
}

// verbCells returns elements as f and verb want them printed.
func verbCells(f fmt.State, verb rune, elements []any) []string {
	directive := strings.ReplaceAll(fmt.FormatString(f, verb), "#", "")
	texts := make([]string, len(elements))
	for i, v := range elements {
		texts[i] = fmt.Sprintf(directive, widened(v))
	}
	return texts
}
