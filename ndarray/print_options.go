package ndarray

import (
	"context"

	"github.com/weft-nd/weft/fault"
)

// PrintOptions is how Array.Text writes an array. They are those of numpy.set_printoptions, whose defaults zero fields stand for.
type PrintOptions struct {
	Precision int  // digits behind the point at most; 0 stands for 8, a negative number for none
	Threshold int  // arrays of more elements show only their edges; 0 stands for 1000, a negative number for none
	EdgeItems int  // elements shown at either end of an axis of which not all are; 0 stands for 3
	LineWidth int  // characters after which a row is broken, unless one element has more; 0 stands for 75
	Suppress  bool // small numbers are rounded to zero instead of giving all numbers an exponent
}

// The defaults of NumPy.
const (
	defaultPrecision = 8
	defaultThreshold = 1000
	defaultEdgeItems = 3
	defaultLineWidth = 75
)

// withDefaults returns o with its meaning spelled out.
func (o PrintOptions) withDefaults() PrintOptions {
	for field, standard := range map[*int]int{&o.Precision: defaultPrecision, &o.Threshold: defaultThreshold, &o.EdgeItems: defaultEdgeItems, &o.LineWidth: defaultLineWidth} {
		if *field == 0 {
			*field = standard
		}
	}
	o.Precision, o.Threshold = max(o.Precision, 0), max(o.Threshold, 0)
	return o
}

// Text returns the elements of a as numpy.array2string writes them with the same options, brain floats as if NumPy had them. It
// waits for a (first call Wait to do so with a context), and returns the error that sticks to a. Of an array of which only the
// edges are shown, only these are copied, wherever and however it lies. It panics with *Error if EdgeItems or LineWidth is negative.
func (a *Array) Text(options PrintOptions) (string, error) {
	checkNotNil("Text", a)
	if options.EdgeItems < 0 || options.LineWidth < 0 {
		fail("Text", fault.ErrParameter, "EdgeItems and LineWidth must not be negative", a)
	}
	options = options.withDefaults()
	return a.text(options, func(elements []any) []string { return a.numpyCells(elements, options) })
}

// text returns a with its elements as cells writes them.
func (a *Array) text(options PrintOptions, cells func(elements []any) []string) (string, error) {
	shown, edges := a.summary(options)
	if edges == nil {
		return "[...]", a.reading().Wait(context.Background())
	}
	elements, err := boxed(context.Background(), shown)
	if err != nil {
		return "", err
	}
	if len(elements) == 0 {
		return "[]", nil // as NumPy does: other axes may be of any length
	}
	p := page{cells: cells(elements), edges: edges, edge: options.EdgeItems, width: options.LineWidth}
	p.align()
	p.write(0, 0)
	return p.text.String(), nil
}
