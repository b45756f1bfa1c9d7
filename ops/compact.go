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

// newCompact returns an array that nobody watches, of so many bytes by its element type and shape, and its memory on env.device, zeros so
// far; storage.FitsSmall holds.
func newCompact(env *Env, origin storage.Origin, d dtype.DType, shape []int, bytes int) (t *Tensor, memory unsafe.Pointer) {
	var c *compact
	if bytes <= storage.SmallBytes {
		whole := new(contained)
		c, memory = &whole.compact, unsafe.Pointer(&whole.memory)
	} else {
		c, memory = new(compact), storage.SmallMemory(bytes)
	}
	c.tensor.env = env
	c.Start(env.engine, env.device, memory, bytes, origin, &c.tensor.view, d, shape)
	return &c.tensor, memory
}
