package ops

import (
	"unsafe"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/storage"
)

// compact is a small array in one object of Go's heap.
type compact struct {
	storage.Small
	tensor Tensor
}

// contained is a compact with its memory, which is aligned, since Go aligns objects whose size is a multiple of 64 to 64.
type contained struct {
	compact
	_      [(storage.SmallBytes - unsafe.Sizeof(compact{})%storage.SmallBytes) % storage.SmallBytes]byte
	memory [storage.SmallBytes]byte
}

// newCompact returns an array that nobody watches, of so many bytes by its element type and shape; storage.FitsSmall holds. Its memory, on
// env.device, has undefined contents, and is yet to be made if they are Awaited.
func newCompact(env *Env, origin storage.Origin, d dtype.DType, shape []int, bytes int) *compact {
	var c *compact
	var memory unsafe.Pointer
	if bytes <= storage.SmallBytes {
		whole := new(contained)
		c, memory = &whole.compact, unsafe.Pointer(&whole.memory)
	} else {
		c = new(compact)
	}
	c.tensor.env = env
	c.Start(env.engine, env.device, memory, bytes, origin, &c.tensor.view, d, shape)
	return c
}
