package fault

import (
	"slices"
	"strings"
)

// composing are the packages of the module that have functions made of operators.
var composing = []string{"ndarray", "linalg", "fft", "random", "nn", "optim"}

// variants are what names of functions end in that call the operator of the name without.
var variants = []string{"Into", "Scalar", "KeepDims", "True"}

// Function returns the function of the library that the user called at s, such as "Histogram", "linalg.Condition" or
// "nn.Dense.Forward"; empty if it is unknown, or of a package whose functions are not made of operators.
func (s *Site) Function() string {
	_, called, found := s.frames()
	if !found {
		return ""
	}
	return functionOf(called.Function)
}

// functionOf returns the function that the runtime calls symbol, such as "github.com/weft-nd/weft/ndarray.(*Array).Median.func1".
func functionOf(symbol string) string {
	name := symbol[strings.LastIndexByte(symbol, '/')+1:]
	name, _, _ = strings.Cut(name, "[") // of a generic function
	path := strings.Split(strings.NewReplacer("(", "", ")", "", "*", "").Replace(name), ".")
	if !slices.Contains(composing, path[0]) {
		return ""
	}
	for len(path) > 2 && strings.HasPrefix(path[len(path)-1], "func") { // inside it
		path = path[:len(path)-1]
	}
	if path[0] == "ndarray" { // whose functions are known without it, and whose methods are mostly those of Array
		if path = path[1:]; len(path) > 1 && path[0] == "Array" {
			path = path[1:]
		}
	}
	return strings.Join(path, ".")
}

// composed returns what an error of an operator at s begins with: "Histogram: ", if that function is made of it;
// nothing if it is the operator, or a form of it.
func (s *Site) composed(operator string) string {
	if _, _, inGradient := s.Gradient(); inGradient {
		return "" // of which the error tells
	}
	if function := s.Function(); function != "" && !isForm(function, operator) {
		return function + ": "
	}
	return ""
}

// isForm reports whether function calls operator and nothing else.
func isForm(function, operator string) bool {
	last := func(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }
	name := last(function)
	for _, variant := range variants {
		name = strings.TrimSuffix(name, variant)
	}
	return name == "Invoke" || strings.EqualFold(name, strings.ReplaceAll(last(operator), "_", "")) || function == operator
}

// isWithin reports whether e is of an operator that was not run because of another one that the same call of a function is made of.
func (e *Error) isWithin(root *Error) bool {
	return (e.isPart() || root.isPart()) && e.Site.Function() == root.Site.Function() && e.Site.String() == root.Site.String()
}

// isPart reports whether e is of an operator that a function is made of, by whose name it may go.
func (e *Error) isPart() bool {
	return e.Site.composed(e.Operator) != "" || e.Operator != "" && e.Operator == e.Site.Function()
}
