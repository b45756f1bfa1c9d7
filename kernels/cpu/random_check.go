package cpu

import (
	"fmt"
	"math"
	"sync/atomic"
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/parallel"
)

// earliest keeps the smallest number that goroutines give it.
type earliest struct{ number atomic.Int64 }

func newEarliest() *earliest {
	e := &earliest{}
	e.number.Store(math.MaxInt64)
	return e
}

func (e *earliest) take(number int) {
	for {
		before := e.number.Load()
		if int64(number) >= before || e.number.CompareAndSwap(before, int64(number)) {
			return
		}
	}
}

// get returns the smallest number; found is false if there is none.
func (e *earliest) get() (number int, found bool) {
	number = int(e.number.Load())
	return number, e.number.Load() != math.MaxInt64
}

// checkElements returns the error for the first element of view that is not legal.
func checkElements[T dtype.Real](t *parallel.Thread, view device.View, name, legalRange string, legal func(T) bool) error {
	n := newOrderedNest(view)
	if n.count == 0 {
		return nil
	}
	bad := newEarliest()
	t.ForCost((n.count+blockSize-1)/blockSize, light*blockSize, func(_ *parallel.Thread, lo, hi int) {
		var block [blockSize]T
		for at := lo * blockSize; at < min(hi*blockSize, n.count); at += blockSize {
			count := min(blockSize, n.count-at)
			elements := block[:count]
			if o := &n.operands[0]; o.whole {
				elements = slice[T](unsafe.Add(o.pointer, at*o.size), count)
			} else {
				n.gather(unsafe.Pointer(&block), 0, at, count)
			}
			for i, v := range elements {
				if !legal(v) {
					bad.take(at + i)
					return
				}
			}
		}
	})
	number, found := bad.get()
	if !found {
		return nil
	}
	var value T
	n.gather(unsafe.Pointer(&value), 0, number, 1)
	if len(view.Shape) > 0 {
		name = fmt.Sprintf("%s at index %s", name, place(number, view.Shape))
	}
	return dataErrorf(fault.ErrParameter, "%s is %v (legal: %s)", name, value, legalRange)
}

// place returns the text of the index of the element with a row-major number.
func place(number int, shape []int) string {
	index := make([]int, len(shape))
	for axis := len(shape) - 1; axis >= 0; axis-- {
		index[axis] = number % shape[axis]
		number /= shape[axis]
	}
	return fault.FormatShape(index)
}
