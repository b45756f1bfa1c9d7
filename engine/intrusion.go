package engine

import (
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/parallel"
)

// Place is what is known of an address that a function must not touch.
type Place struct {
	What   string // what is there, in words, such as "byte 8 of an array of 4096 bytes made at main.go:12"
	Guard  Guard  // of the memory; nil where no operation may touch the address
	Offset int64  // from the start of the memory behind the guard, in bytes
}

var locate atomic.Pointer[func(address uintptr) (Place, bool)]

// LocateMemory makes engines with WithSanitizer ask find what is at an address that a function has touched and must not. It
// replaces the find set before. Known is false if find knows nothing of the address. Find may be called from any goroutine.
func LocateMemory(find func(address uintptr) (place Place, known bool)) { locate.Store(&find) }

// intrusion is the error of a function that has touched what it must not touch.
type intrusion struct {
	text  string
	stack []byte
}

// Error tells what was touched.
func (i *intrusion) Error() string { return i.text }

// Unwrap returns fault.ErrAccess.
func (i *intrusion) Unwrap() error { return fault.ErrAccess }

// intrusion returns the error if a function of op has panicked because it touched what is known and not open to it; else nil. It
// is called where the function has panicked.
func (op *Operation) intrusion(panicked any) error {
	panicked, stack := parallel.Recovered(panicked)
	touched, ok := panicked.(memoryFault)
	find := locate.Load()
	if !ok || find == nil {
		return nil
	}
	place, known := (*find)(touched.Addr())
	if !known {
		return nil
	}
	return &intrusion{
		text:  fmt.Sprintf("%v: the function touched %s: %s, address %#x", fault.ErrAccess, op.forbids(place), place.What, touched.Addr()),
		stack: stack,
	}
}

// forbids tells why a function of op must not touch place. Where op declares that it reads it, the function was stopped because it
// was about to write.
func (op *Operation) forbids(place Place) string {
	if place.Guard == nil {
		return "what no operation may touch"
	}
	var ranges []string
	for i := range op.Accesses {
		switch a := &op.Accesses[i]; {
		case a.Var.guard() != place.Guard:
		case a.Hi == 0 || a.Lo <= place.Offset && place.Offset < a.Hi:
			return "what the operation declares only to read"
		default:
			ranges = append(ranges, fmt.Sprintf("[%d,%d)", a.Lo, a.Hi))
		}
	}
	if len(ranges) == 0 {
		return "what the operation does not declare"
	}
	return "what is outside of the bytes " + strings.Join(ranges, " and ") + " that the operation declares"
}
