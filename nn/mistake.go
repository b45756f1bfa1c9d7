package nn

import (
	"fmt"
	"math"
	"reflect"

	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
)

// mistake panics with the error of a mistaken call, in the user's line.
func mistake(operator string, reason error, detail string, operands ...*nd.Array) {
	panic(fault.Mistake(fault.Here(1), operator, reason, detail, operands...))
}

// checkForward fails if the context or an array of a layer's Forward is nil.
func checkForward(layer string, c *Ctx, x *nd.Array) { checkCall(layer+".Forward", c, x) }

// checkCall is checkForward for a call of any name.
func checkCall(call string, c *Ctx, x *nd.Array) {
	if c == nil {
		mistake(call, fault.ErrMisuse, "the context is nil")
	}
	if x == nil {
		mistake(call, fault.ErrMisuse, "the array is nil")
	}
}

// checkMaking fails if the Env of a new layer is nil, or a size less than least.
func checkMaking(operator string, env *nd.Env, least int, sizes ...int) {
	if env == nil {
		mistake(operator, fault.ErrMisuse, "the Env is nil")
	}
	for _, n := range sizes {
		if n < least {
			mistake(operator, fault.ErrParameter, fmt.Sprintf("the size %d is too small (legal: from %d)", n, least))
		}
	}
}

// checkDrawing fails if what draws the weights of a layer is nil.
func checkDrawing(call string, env *nd.Env, draw Initialiser) {
	if env == nil || draw == nil {
		mistake(call, fault.ErrMisuse, "the Env or the initialiser is nil")
	}
}

// checkParts fails if so many parts of a size, at least 1, are more than a number can tell.
func checkParts(operator string, parts, size int) {
	if size > math.MaxInt/parts {
		mistake(operator, fault.ErrShape, fmt.Sprintf("the size %d has more bytes than there are addresses", size))
	}
}

// named gives mistakes in making the parameters of a layer the name of the function that makes it: sizes may be too
// large for memory to have addresses. It is deferred.
func named(maker string) {
	switch reason := recover().(type) {
	case nil:
	case *nd.Error:
		renamed := *reason
		renamed.Operator = maker
		panic(&renamed)
	default:
		panic(reason)
	}
}

// checkLayers fails if one of layers is nil.
func checkLayers(operator string, layers []Layer) {
	for i, l := range layers {
		if isNil(l) {
			mistake(operator, fault.ErrMisuse, fmt.Sprintf("layer %d is nil", i))
		}
	}
}

// isNil reports whether l is nil, or holds a nil pointer or function.
func isNil(l Layer) bool {
	if l == nil {
		return true
	}
	kind := reflect.ValueOf(l).Kind()
	return (kind == reflect.Pointer || kind == reflect.Func) && reflect.ValueOf(l).IsNil()
}
