//go:build linux && (amd64 || arm64)

package bind

import (
	"sync"
	"unsafe"

	_ "github.com/ebitengine/purego" // lets programs without cgo call C
)

// symbol is a C function.
type symbol struct {
	name    string
	address uintptr
}

// call calls a function of integers and pointers, and returns its int.
//
//go:uintptrescapes
func (s symbol) call(arguments ...uintptr) int32 {
	w := takeCall()
	defer w.give()
	return w.run(s, arguments)
}

// wideCall is the one argument of the C function wide: a call, and what has to be called before it on the same thread. So a call of the
// driver leaves Go once, and allocates nothing.
type wideCall struct {
	function  uintptr
	count     uintptr
	result    uintptr
	arguments [24]uintptr
	enter     uintptr // a function of one argument, context; 0 if there is none, and once it has returned 0
	context   uintptr

	pointers [1]unsafe.Pointer // to pass by pointer, which is all that the collector sees of the arguments
}

var wideCalls = sync.Pool{New: func() any { return new(wideCall) }}

func takeCall() *wideCall { return wideCalls.Get().(*wideCall) }

func (w *wideCall) give() {
	w.enter, w.pointers = 0, [1]unsafe.Pointer{}
	wideCalls.Put(w)
}

// run calls s, unless enter refuses: then it returns the result of that.
func (w *wideCall) run(s symbol, arguments []uintptr) int32 {
	if s.address == 0 || len(arguments) > len(w.arguments) {
		panic("bind: no such function, or too many arguments: " + s.name)
	}
	w.function, w.count = s.address, uintptr(copy(w.arguments[:], arguments))
	callC(wideAddress(), unsafe.Pointer(w))
	return int32(w.result)
}

// callC calls a C function of one pointer on the stack of the thread. It is what purego is made of, and allocates nothing.
//
//go:linkname callC runtime.cgocall
func callC(function uintptr, argument unsafe.Pointer) int32

// wide is a C function, void wide(struct wideCall *): it must not be called from Go.
//
//lint:ignore U1000 only its address is used, by assembly
func wide()

// wideAddress returns the address of wide.
func wideAddress() uintptr
