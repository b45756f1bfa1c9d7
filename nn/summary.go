package nn

import (
	"fmt"
	"iter"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
)

// Summary is a table of the layers of a model.
type Summary struct {
	Input  []int // shape of what the model was called with
	Layers []LayerSummary
	// Parameters is the number of elements of all parameters, and Bytes what they take, with the arrays of Stateful layers. What several
	// layers share counts once.
	Parameters, Bytes int
	// OutputBytes is what the outputs of all layers take together, which a tape may keep.
	OutputBytes int
}

// LayerSummary is a row of a Summary.
type LayerSummary struct {
	Name       string // its number within a Sequential one, empty of a single layer
	Kind       string
	Output     []int
	DType      dtype.DType
	Parameters int
}

// Summarise calls a model with x in inference, layer by layer within Sequential and Residual ones, and tells what it is
// made of. Parameters of Unknown sizes are made. A mistake panics with *nd.Error, as Forward does.
func Summarise(l Layer, x *nd.Array) Summary {
	if isNil(l) || x == nil {
		mistake("Summarise", fault.ErrMisuse, "the layer or the array is nil")
	}
	s, seen := Summary{Input: x.Shape()}, map[*nd.Array]bool{}
	s.add("", l, x, seen)
	return s
}

// add adds the rows of a layer, and returns its output.
func (s *Summary) add(name string, l Layer, x *nd.Array, seen map[*nd.Array]bool) *nd.Array {
	if residual, ok := l.(*Residual); ok {
		l = residual.layers
	}
	if sequential, ok := l.(*Sequential); ok {
		for i, inner := range sequential.layers {
			x = s.add(strings.TrimPrefix(name+"."+strconv.Itoa(i), "."), inner, x, seen)
		}
		return x
	}
	y := l.Forward(Infer(), x)
	row := LayerSummary{Name: name, Kind: kindOf(l), Output: y.Shape(), DType: y.DType()}
	count := func(arrays iter.Seq2[string, *nd.Array], parameters bool) {
		for _, a := range arrays {
			if seen[a] {
				continue
			}
			seen[a] = true
			s.Bytes += a.Count() * a.DType().Size()
			if parameters {
				row.Parameters += a.Count()
			}
		}
	}
	count(l.Named(), true)
	if stateful, ok := l.(Stateful); ok {
		count(stateful.NamedState(), false)
	}
	s.Parameters += row.Parameters
	s.OutputBytes += y.Count() * y.DType().Size()
	s.Layers = append(s.Layers, row)
	return y
}

// kindOf returns the name of a layer's type, or of its function if that has one.
func kindOf(l Layer) string {
	switch l := l.(type) {
	case *activation:
		return map[nd.Activation]string{nd.ReluActivation: "Relu", nd.GeluActivation: "Gelu"}[l.fused]
	case Func:
		for name, f := range map[string]Func{
			"Flatten": Flatten, "Softmax": Softmax, "LogSoftmax": LogSoftmax, "GlobalAveragePool2D": GlobalAveragePool2D, "GlobalMaxPool2D": GlobalMaxPool2D,
		} {
			if reflect.ValueOf(f).Pointer() == reflect.ValueOf(l).Pointer() {
				return name
			}
		}
		name := runtime.FuncForPC(reflect.ValueOf(l).Pointer()).Name()
		if name = name[strings.LastIndexByte(name, '.')+1:]; !strings.HasPrefix(name, "func") {
			return name
		}
		return "Func"
	}
	kind := reflect.TypeOf(l).String()
	return kind[strings.LastIndexByte(kind, '.')+1:]
}

// String returns the table, a line for each layer, and the totals.
func (s Summary) String() string {
	var b strings.Builder
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "layer\tkind\toutput\tdtype\tparameters\n\tinput\t%s\t\t\n", fault.FormatShape(s.Input))
	for _, row := range s.Layers {
		fmt.Fprintf(table, "%s\t%s\t%s\t%v\t%s\n", row.Name, row.Kind, fault.FormatShape(row.Output), row.DType, grouped(row.Parameters))
	}
	table.Flush()
	lines := strings.Split(b.String(), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n") + fmt.Sprintf("%s parameters in %s bytes; outputs take %s bytes\n", grouped(s.Parameters), grouped(s.Bytes), grouped(s.OutputBytes))
}

// grouped writes a number with a comma before every three digits.
func grouped(n int) string {
	digits := []byte(strconv.Itoa(n))
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = slices.Insert(digits, i, ',')
	}
	return string(digits)
}
