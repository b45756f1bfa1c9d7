package fault

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/weft-nd/weft/dtype"
)

// The reasons of failure, for errors.Is.
var (
	ErrShape       = errors.New("shape mismatch")
	ErrDType       = errors.New("dtype mismatch")
	ErrAxis        = errors.New("axis out of range")
	ErrIndex       = errors.New("index out of range")
	ErrParameter   = errors.New("invalid parameter")
	ErrDevice      = errors.New("device unavailable or mixed")
	ErrMisuse      = errors.New("misuse")
	ErrReleased    = errors.New("array was released")
	ErrSaved       = errors.New("write to memory that a live tape has saved")
	ErrPanic       = errors.New("panic")
	ErrOutOfMemory = errors.New("out of memory")
	ErrClosed      = errors.New("engine is closed")
	ErrDeadlock    = errors.New("deadlock")
	ErrAccess      = errors.New("undeclared access")
)

// Error is the error of an operator: a mistake in its call, or a failure while it ran.
type Error struct {
	Operator string        // name of the operator or function, such as "matmul"
	Shapes   [][]int       // shapes of the operands
	DTypes   []dtype.DType // element types of the operands
	Device   string        // name of the device; empty where it plays no role
	Detail   string        // what did not fit
	Cause    error         // the reason, for errors.Is and errors.As; never nil
	Stack    []byte        // the stack of a panic inside a function; nil otherwise
	Site     *Site         // where the user asked for the operator, or for a gradient that it computes (see Site.Gradient); nil if unknown
	Text     string        // what the user wrote and Detail is about, such as an equation; empty if the mistake is not in a text
	Column   int           // bytes in Text before the mistake

	// Root and Links are set where the operator did not run because its input was already in error: Root is the operator that
	// failed first, Links the number of operators from there to this one, and Via the last before this. If several paths lead
	// there, including copies between devices, which one is reported may differ from run to run.
	Root  *Error
	Via   string
	Links int
}

// Error returns one line, such as "weft: add: shapes (3,2) and (4,2) do not broadcast (axis 0: 3 against 4) [float32, float32]
// at main.go:12", and, where the mistake is in a text, two more: the text, and a mark under the place. If an operator failed in
// the gradient of another, it begins with that one: "weft: in the gradient of exp at main.go:10: mul: … at main.go:12". If the
// user called a function that is made of operators, it begins with that: "weft: Correlation: matmul: … at main.go:12";
// operators of the same call that were not run because of the failed one are not mentioned.
func (e *Error) Error() string {
	if e.Root != nil && e.isWithin(e.Root) {
		return e.Root.Error()
	}
	var text strings.Builder
	text.WriteString("weft: ")
	text.WriteString(e.Site.inGradients())
	text.WriteString(e.Site.composed(e.Operator))
	text.WriteString(e.Operator)
	if e.Root != nil {
		fmt.Fprintf(&text, " was not run%s: its input failed", at(e.Site))
		if e.Links > 1 {
			fmt.Fprintf(&text, " %d operators before (last: %s)", e.Links, e.Via)
		}
		text.WriteString(": ")
		text.WriteString(strings.TrimPrefix(e.Root.Error(), "weft: "))
		return text.String()
	}
	switch {
	case e.Detail != "":
		text.WriteString(": " + e.Detail)
	case e.Cause != nil:
		text.WriteString(": " + e.Cause.Error())
	}
	if len(e.Shapes) > 0 {
		text.WriteString(" [")
		for i, shape := range e.Shapes {
			if i > 0 {
				text.WriteString(", ")
			}
			if i < len(e.DTypes) {
				text.WriteString(e.DTypes[i].String() + " ")
			}
			text.WriteString(FormatShape(shape))
		}
		text.WriteString("]")
	}
	if e.Device != "" {
		text.WriteString(" on " + e.Device)
	}
	text.WriteString(at(e.Site))
	if e.Text != "" {
		fmt.Fprintf(&text, "\n\t%s\n\t%s^", e.Text, strings.Repeat(" ", utf8.RuneCountInString(e.Text[:min(max(e.Column, 0), len(e.Text))])))
	}
	return text.String()
}

func at(site *Site) string {
	if line := site.String(); line != "" {
		return " at " + line
	}
	return ""
}

// Unwrap returns the cause, and the root where the operator was not run.
func (e *Error) Unwrap() []error {
	wrapped := make([]error, 0, 2)
	if e.Root != nil {
		wrapped = append(wrapped, e.Root)
	}
	if e.Cause != nil {
		wrapped = append(wrapped, e.Cause)
	}
	return wrapped
}

// Follow returns the error of an operator that was not run because its input carries cause. The fields that describe the
// operator are taken from link.
func (e *Error) Follow(link *Error) *Error {
	root := e.Root
	if root == nil {
		root = e
	}
	link.Root, link.Via, link.Links, link.Cause = root, e.Operator, e.Links+1, nil
	return link
}

// FormatShape returns shape as users write it: "(3,2)", "(3,)" and "()".
func FormatShape(shape []int) string {
	text := []byte{'('} // not by fmt, for which every shape would be on the heap
	for i, n := range shape {
		if i > 0 {
			text = append(text, ',')
		}
		text = strconv.AppendInt(text, int64(n), 10)
	}
	if len(shape) == 1 {
		text = append(text, ',')
	}
	return string(append(text, ')'))
}
