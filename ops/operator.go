package ops

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/storage"
)

// Operator is one entry of the registry: all that weft knows of an operator. It is immutable once registered.
type Operator struct {
	// Name is how the operator is found, and the name of its kernels.
	Name string
	// Doc is one line that says what it computes; operands are called by the names in Inputs.
	Doc string
	// Form says which methods of arrays are generated for it.
	Form Form
	// Inputs names the operands. "xs..." as the last stands for any number but none, "x?" for one or none.
	Inputs []string
	// Params is the zero value of the struct of its parameters, nil if it has none; see Parameters.
	Params any
	// Convert returns the element type that each operand is cast to first, dtype.Invalid to leave it; nil casts nothing.
	Convert func(c *Call) []dtype.DType
	// Compares says that the operator compares arrays of any element type with a scalar, even one that the type cannot hold.
	Compares bool
	// Accepts lists the element types of the first operand; nil accepts all. It is checked after Convert.
	Accepts []dtype.DType
	// Infer checks the call and calls Call.Output for each result. It must not look at contents.
	Infer func(c *Call)
	// View returns the result as a view of the first operand; such an operator runs nothing. If ok is false the operand is
	// copied to contiguous memory first, of which View always succeeds.
	View func(c *Call, v storage.View) (result storage.View, ok bool)
	// Signature returns the element types that select the kernel, at most two; nil means that of the first operand, or of the
	// first result if there are no operands.
	Signature func(c *Call) []dtype.DType
	// Lower arranges views and parameters as the kernel wants them; nil passes operands and results as they are.
	Lower func(c *Call, l *Lowered)
	// Work returns the number of floating-point operations of a call, for profiles; nil is unknown.
	Work func(c *Call) int64
	// Brief reports whether the kernel of a call, which has one result, takes no more than the few microseconds in which a
	// worker would begin with it. Such a kernel may be called again if it fails. Nil leaves the decision to Form, Work and the
	// number of elements.
	Brief func(c *Call) bool
	// Draws says that the operator takes random numbers: each call takes a ticket from the generator of its Env. The kernel
	// finds the ticket's key and sequence in front of the integers that Lower gives.
	Draws bool
	// Mutates reports whether operand i is updated in place.
	Mutates func(c *Call, i int) bool
	// InPlace says that the result may be written to the memory of operand 0.
	InPlace bool
	// KeepOnSkip leaves mutated operands valid when the operator is skipped because another operand is in error.
	KeepOnSkip bool
	// Gradient sets the gradients of the operands by Rule.Set; those that it does not set are zero. It is nil where no tape
	// records: if no result is of floats or complex numbers, or operands are updated in place.
	Gradient func(r *Rule)
	// Holomorphic says that the operator has a complex derivative, by which Gradient multiplies as if numbers were real. The
	// gradient of complex numbers, which Differentiate describes, is the upstream one times the conjugate of that derivative:
	// Gradient is given conjugate upstream gradients, and what it sets is conjugated. A rule that is linear with real
	// coefficients, such as those of sums and views, gives the same either way, and leaves Holomorphic unset. The rule of an
	// operator without a complex derivative, such as sign and conj, conjugates by itself.
	Holomorphic bool
	// Saves says which operands and results Gradient looks at.
	Saves Saved
	// SavesFor says it where it depends on the parameters; nil leaves it to Saves.
	SavesFor func(params any) Saved
	// SavesComplex says what Gradient looks at in addition if the first operand is complex.
	SavesComplex Saved
	// Samples are calls for the tests of the registry.
	Samples []Sample

	latest    *atomic.Pointer[latestKernel] // nil of one that is not registered
	shortcuts *shortcuts                    // nil of one that can have none
	callers   *sync.Map                     // what CalledBy has returned, by function
	caller    string                        // see CalledBy
	reduces   bool                          // its parameters are ReduceParams, lowered by lowerReduction
	user      device.UserKernel             // the kernel, of one that a program brings
}

// CalledBy returns op, which is registered, as a part of a function that is made of operators: errors of its calls, at run time
// too, name the function. Profiles still name the operator.
func (op *Operator) CalledBy(function string) *Operator {
	if known, found := op.callers.Load(function); found {
		return known.(*Operator)
	}
	part := *op
	part.caller = function
	known, _ := op.callers.LoadOrStore(function, &part)
	return known.(*Operator)
}

// Called returns the name of what users called: that of op, or the one given to CalledBy.
func (op *Operator) Called() string {
	if op.caller != "" {
		return op.caller
	}
	return op.Name
}

// Form is the shape of the methods that arrays have for an operator.
type Form uint8

// The forms.
const (
	FormOther     Form = iota // no generated methods
	FormUnary                 // a.Name(), NameInto(dst, a)
	FormBinary                // a.Name(b), a.NameScalar(v), NameInto(dst, a, b)
	FormReduction             // a.Name(axes...), a.NameKeepDims(axes...)
)

// Sample is a call that tests make: shapes of the operands, and parameters.
type Sample struct {
	Shapes [][]int
	Params any
}

// Lowered is a call as its kernel sees it.
type Lowered struct {
	Outputs, Inputs []storage.View
	Integers        []int64
	Scalars         []float64
	Scratch         int // bytes of temporary memory
}

var registry = map[string]*Operator{}

// Register adds op to the registry and returns it. It panics if the entry is incomplete or the name is taken. It is called
// while packages are initialised.
func Register(op *Operator) *Operator {
	switch {
	case op.Name == "" || op.Doc == "" || op.Infer == nil:
		panic(fmt.Sprintf("ops: operator %q needs a name, a line of documentation and inference", op.Name))
	case registry[op.Name] != nil:
		panic(fmt.Sprintf("ops: operator %q is registered twice", op.Name))
	}
	op.latest, op.callers = new(atomic.Pointer[latestKernel]), new(sync.Map)
	if op.hasShortcuts() {
		op.shortcuts = new(shortcuts)
	}
	registry[op.Name] = op
	return op
}

// IsRegistered reports whether op was registered, under this name or as an operator that CalledBy has renamed. An operator that
// was not is a function of a user's.
func (op *Operator) IsRegistered() bool { return op.latest != nil }

// Lookup returns the operator of the given name.
func Lookup(name string) (op *Operator, found bool) {
	op, found = registry[name]
	return op, found
}

// registered returns the operator of a name, for code that every call goes through: naming the operator's variable there would
// make its initialisation depend on itself.
func registered(name string) *Operator { return registry[name] }

// All returns every operator, sorted by name.
func All() []*Operator {
	all := slices.Collect(maps.Values(registry))
	slices.SortFunc(all, func(a, b *Operator) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// variadic reports whether the last operand stands for any number.
func (op *Operator) variadic() bool { return op.endsWith("...") }

// endsWith reports whether the name of the last operand does.
func (op *Operator) endsWith(mark string) bool {
	return len(op.Inputs) > 0 && strings.HasSuffix(op.Inputs[len(op.Inputs)-1], mark)
}

// takes reports whether op has so many operands.
func (op *Operator) takes(count int) bool {
	want := len(op.Inputs)
	return count == want || count > want && op.variadic() || count == want-1 && op.endsWith("?")
}

// Saved is a set of operands and results that a tape keeps for the gradient.
type Saved uint64

// Sets of operands and results.
const (
	SaveInputs  Saved = 1<<32 - 1
	SaveOutputs Saved = SaveInputs << 32
)

// SaveInput returns the set of operand i alone.
func SaveInput(i int) Saved { return 1 << i }

// SavedOf returns which operands and results are kept of a call with the given parameters.
func (op *Operator) SavedOf(params any) Saved {
	if op.SavesFor != nil {
		return op.SavesFor(params)
	}
	return op.Saves
}

// Input reports whether operand i is in s. Operands from the 32nd on are kept together.
func (s Saved) Input(i int) bool { return s&SaveInput(min(i, 31)) != 0 }

// Output reports whether result i is in s.
func (s Saved) Output(i int) bool { return s>>32&SaveInput(min(i, 31)) != 0 }
