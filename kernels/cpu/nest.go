package cpu

import (
	"fmt"
	"unsafe"

	"github.com/weft-nd/weft/device"
)

// maxOperands is the largest number of views that one nest walks.
const maxOperands = 4

// maxAxes is the largest number of axes with two or more elements: an output with more has over 2^48 elements.
const maxAxes = 48

// nest is a loop nest over views of equal shapes, in the simplest form that visits the same elements.
type nest struct {
	shape    []int // elements along each axis, outermost first; never empty
	operands []operand
	count    int // elements altogether

	storage [maxOperands]operand
	room    [32]int // for shape and strides
}

// operand is one of the views of a nest.
type operand struct {
	pointer unsafe.Pointer
	size    int   // bytes of an element
	strides []int // bytes from one index to the next
	whole   bool  // the elements lie one after the other in the order of the nest
}

// newNest returns the nest over views, whose order may differ from the row-major one: axes are sorted and turned round so
// that the first view is walked in the order of its memory.
func newNest(views ...device.View) *nest {
	n := new(nest)
	n.set(views)
	return n
}

// set makes n what newNest returns.
func (n *nest) set(views []device.View) {
	n.collect(views)
	n.sort()
	n.turn()
	n.merge()
}

// setLine makes n the nest over count elements at the pointers, of the given sizes in bytes, one after the other; bit i of
// repeated tells that operand i+1 is one element for all.
func (n *nest) setLine(sizes []int, p pointers, count, repeated int) {
	n.count = count
	n.operands = n.storage[:len(sizes)]
	axes := &n.room
	axes[0] = count
	n.shape = axes[:1:1]
	for i, size := range sizes {
		strides := axes[1+i : 2+i : 2+i]
		if strides[0] = size; i > 0 && repeated>>(i-1)&1 == 1 {
			strides[0] = 0
		}
		n.operands[i] = operand{pointer: p[i], size: size, strides: strides, whole: strides[0] == size}
	}
}

// newOrderedNest returns the nest over views in row-major order.
func newOrderedNest(views ...device.View) *nest {
	n := new(nest)
	n.collect(views)
	n.merge()
	return n
}

// collect takes the axes of views that have more than one element.
func (n *nest) collect(views []device.View) {
	shape := views[0].Shape
	n.shape, n.count = nil, 1
	n.operands = n.storage[:len(views)]
	rank := 0
	for _, length := range shape {
		n.count *= length
		if length != 1 {
			rank++
		}
	}
	if rank > maxAxes {
		if n.count == 0 {
			rank = 0
		} else {
			panic(fmt.Sprintf("cpu: %d axes with two or more elements", rank))
		}
	}
	if n.count == 0 {
		return
	}
	axes := n.room[:0]
	if wanted := (rank + 1) * (len(views) + 1); wanted > len(n.room) {
		axes = make([]int, 0, wanted)
	}
	for _, length := range shape {
		if length != 1 {
			axes = append(axes, length)
		}
	}
	n.shape = axes[0:rank:cap(axes)]
	for i, view := range views {
		start := (i + 1) * (rank + 1)
		strides := axes[start:start:cap(axes)]
		size := view.DType.Size()
		for axis, length := range shape {
			if length != 1 {
				strides = append(strides, view.Strides[axis]*size)
			}
		}
		n.operands[i] = operand{pointer: view.Pointer.Host, size: size, strides: strides}
	}
}

// sort puts axes with larger strides outside, by the first operand that tells two axes apart.
func (n *nest) sort() {
	for end := 1; end < len(n.shape); end++ {
		for axis := end; axis > 0 && n.isInside(axis-1, axis); axis-- {
			n.shape[axis-1], n.shape[axis] = n.shape[axis], n.shape[axis-1]
			for i := range n.operands {
				strides := n.operands[i].strides
				strides[axis-1], strides[axis] = strides[axis], strides[axis-1]
			}
		}
	}
}

func (n *nest) isInside(a, b int) bool {
	for i := range n.operands {
		strideA, strideB := magnitude(n.operands[i].strides[a]), magnitude(n.operands[i].strides[b])
		if strideA != strideB {
			return strideA < strideB
		}
	}
	return false
}

func magnitude(stride int) int { return max(stride, -stride) }

// turn makes the strides of the first operand positive.
func (n *nest) turn() {
	for axis, length := range n.shape {
		if n.operands[0].strides[axis] >= 0 {
			continue
		}
		for i := range n.operands {
			o := &n.operands[i]
			if o.pointer != nil { // Elements that are not to be looked at may have no memory.
				o.pointer = unsafe.Add(o.pointer, o.strides[axis]*(length-1))
			}
			o.strides[axis] = -o.strides[axis]
		}
	}
}

// merge joins neighbouring axes that every operand walks as one.
func (n *nest) merge() {
	if n.count == 0 {
		return
	}
	last := 0
	for axis := 1; axis < len(n.shape); axis++ {
		joined := true
		for i := range n.operands {
			strides := n.operands[i].strides
			joined = joined && strides[last] == strides[axis]*n.shape[axis]
		}
		if joined {
			n.shape[last] *= n.shape[axis]
		} else {
			last++
			n.shape[last] = n.shape[axis]
		}
		for i := range n.operands {
			n.operands[i].strides[last] = n.operands[i].strides[axis]
		}
	}
	n.close(min(last+1, len(n.shape)))
}

// close leaves the nest with rank axes, or with one axis of one element where there is none, and finds the operands that
// are whole.
func (n *nest) close(rank int) {
	if len(n.shape) == 0 {
		rank = 1
		n.shape = append(n.shape, 1)
		for i := range n.operands {
			n.operands[i].strides = append(n.operands[i].strides, n.operands[i].size)
		}
	}
	n.shape = n.shape[:rank]
	for i := range n.operands {
		o := &n.operands[i]
		o.strides = o.strides[:rank]
		expected := o.size
		o.whole = true
		for axis := rank - 1; axis >= 0; axis-- {
			o.whole = o.whole && o.strides[axis] == expected
			expected *= n.shape[axis]
		}
	}
}

// inner returns the length of the innermost axis.
func (n *nest) inner() int { return n.shape[len(n.shape)-1] }

// stride returns the bytes from one element of operand i to the next along the innermost axis.
func (n *nest) stride(i int) int { return n.operands[i].strides[len(n.shape)-1] }

// cursor is a position in a nest.
type cursor struct {
	nest    *nest
	offsets [maxOperands]int // bytes from the pointer of each operand
	rest    int              // elements from here to the end of the row
	index   [maxAxes]int
}

// seek puts c at element number at, which is less than the number of elements.
func (c *cursor) seek(n *nest, at int) {
	c.nest = n
	c.offsets = [maxOperands]int{}
	for axis := len(n.shape) - 1; axis >= 0; axis-- {
		index := at
		if axis > 0 {
			index = at % n.shape[axis]
			at /= n.shape[axis]
		}
		c.index[axis] = index
		for i := range n.operands {
			c.offsets[i] += index * n.operands[i].strides[axis]
		}
	}
	c.rest = n.inner() - c.index[len(n.shape)-1]
}

// advance moves c by count elements, at most to the end of the row, which is the start of the next.
func (c *cursor) advance(count int) {
	n := c.nest
	axis := len(n.shape) - 1
	for i := range n.operands {
		c.offsets[i] += count * n.operands[i].strides[axis]
	}
	c.index[axis] += count
	c.rest -= count
	if c.rest > 0 {
		return
	}
	c.carry(axis)
	c.rest = n.inner()
}

// advanceRows moves c, which is at the start of a row, by whole rows, at most to the end of those of the second last axis.
func (c *cursor) advanceRows(rows int) {
	axis := len(c.nest.shape) - 2
	for i := range c.nest.operands {
		c.offsets[i] += rows * c.nest.operands[i].strides[axis]
	}
	c.index[axis] += rows
	c.carry(axis)
}

// carry moves c from the end of an axis to the next index of the axis before.
func (c *cursor) carry(axis int) {
	n := c.nest
	for axis > 0 && c.index[axis] == n.shape[axis] {
		c.index[axis] = 0
		c.index[axis-1]++
		for i := range n.operands {
			strides := n.operands[i].strides
			c.offsets[i] += strides[axis-1] - strides[axis]*n.shape[axis]
		}
		axis--
	}
}

// pointers returns the addresses of the elements at c.
func (c *cursor) pointers() (p pointers) {
	for i := range c.nest.operands {
		p[i] = c.pointer(i)
	}
	return p
}

// pointer returns the address of the element of operand i at c.
func (c *cursor) pointer(i int) unsafe.Pointer {
	return unsafe.Add(c.nest.operands[i].pointer, c.offsets[i])
}

// address returns where pointer points to. Of what has no elements it is maybe in the memory of others, where no pointer may point to.
func (c *cursor) address(i int) uintptr {
	return uintptr(c.nest.operands[i].pointer) + uintptr(c.offsets[i])
}
