//go:build linux && (amd64 || arm64)

package bind

import (
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"
)

// symbol is a C function.
type symbol struct {
	name    string
	address uintptr
}

// direct is how many arguments purego passes at most.
const direct = 15

// call calls a function of integers and pointers, and returns its int.
//
//go:uintptrescapes
func (s symbol) call(arguments ...uintptr) int32 {
	if len(arguments) > direct {
		return s.callWide(arguments)
	}
	result, _, _ := purego.SyscallN(s.address, arguments...)
	return int32(result)
}

// wideCall is the one argument of the C function wide, which calls function with the arguments.
type wideCall struct {
	function  uintptr
	count     uintptr
	result    uintptr
	arguments [24]uintptr
}

var wideCalls = sync.Pool{New: func() any { return new(wideCall) }}

func (s symbol) callWide(arguments []uintptr) int32 {
	w := wideCalls.Get().(*wideCall)
	defer wideCalls.Put(w)
	w.function, w.count = s.address, uintptr(copy(w.arguments[:], arguments))
	if int(w.count) < len(arguments) {
		panic("bind: too many arguments for " + s.name)
	}
	purego.SyscallN(wideAddress(), uintptr(unsafe.Pointer(w)))
	return int32(w.result)
}

// wide is a C function, void wide(struct wideCall *): it must not be called from Go.
//
//lint:ignore U1000 only its address is used, by assembly
func wide()

// wideAddress returns the address of wide.
func wideAddress() uintptr
