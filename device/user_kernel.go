package device

import (
	"fmt"
	"math"

	"github.com/weft-nd/weft/dtype"
)

// UserKernel is a Kernel that a program brings, such as one that kernels/cuda has compiled for it. Its Launch takes as
// Outputs the arrays that it writes, and as Inputs those that it only reads, both in the order of its parameters and in
// row-major order; Integers are what Grid.Integers returns, and then the bits of each number.
type UserKernel interface {
	Kernel
	// Name is the name of the kernel in errors and profiles.
	Name() string
	// Kind returns the kind of devices that it runs on.
	Kind() Kind
	// Parameters returns what it takes, in order. At least one is an array that it writes.
	Parameters() []Parameter
}

// Parameter is an array or a number that a UserKernel takes.
type Parameter struct {
	Name    string // may be empty
	DType   dtype.DType
	Array   bool
	Written bool // of an array: whether the kernel may write it
}

// Grid is how many threads run a kernel: blocks and threads of a block along three axes, where 0 stands for 1, as numbers left
// out in CUDA do. Each block has Shared bytes of memory in addition to what the kernel declares with a size.
type Grid struct {
	Blocks, Threads [3]int
	Shared          int
}

// Over returns the Grid of one axis that has a thread for each of count elements, in blocks of the given number of threads, and
// at least one block. As in Grid, 0 threads stand for 1.
func Over(count, threads int) Grid {
	return Grid{Blocks: [3]int{max(1, (count-1)/max(1, threads)+1)}, Threads: [3]int{threads}}
}

// Whole returns g with 1 in place of 0.
func (g Grid) Whole() Grid {
	for i := range 3 {
		if g.Blocks[i] == 0 {
			g.Blocks[i] = 1
		}
		if g.Threads[i] == 0 {
			g.Threads[i] = 1
		}
	}
	return g
}

// The most blocks, and threads of a block, along each axis, and threads of a block, of any GPU; those of one may be fewer.
var (
	mostBlocks  = [3]int{1<<31 - 1, 1<<16 - 1, 1<<16 - 1}
	mostThreads = [3]int{1024, 1024, 64}
)

const mostThreadsOfABlock = 1024

// Problem returns why no device can run g; empty if it may.
func (g Grid) Problem() string {
	w := g.Whole()
	for i := range 3 {
		if w.Blocks[i] < 1 || w.Blocks[i] > mostBlocks[i] {
			return fmt.Sprintf("the grid has %v blocks (legal: 1 to %v)", g.Blocks, mostBlocks)
		}
		if w.Threads[i] < 1 || w.Threads[i] > mostThreads[i] {
			return fmt.Sprintf("a block has %v threads (legal: 1 to %v)", g.Threads, mostThreads)
		}
	}
	if threads := w.Threads[0] * w.Threads[1] * w.Threads[2]; threads > mostThreadsOfABlock {
		return fmt.Sprintf("a block has %v threads, %d together (legal: up to %d)", g.Threads, threads, mostThreadsOfABlock)
	}
	if g.Shared < 0 || g.Shared > math.MaxInt32 {
		return fmt.Sprintf("a block has %d bytes of shared memory (legal: 0 to %d)", g.Shared, math.MaxInt32)
	}
	return ""
}

// gridIntegers is how many Integers returns.
const gridIntegers = 7

// Integers returns g as a Kernel gets it.
func (g Grid) Integers() []int64 {
	w := g.Whole()
	return []int64{
		int64(w.Blocks[0]), int64(w.Blocks[1]), int64(w.Blocks[2]), int64(w.Threads[0]), int64(w.Threads[1]), int64(w.Threads[2]), int64(w.Shared),
	}
}

// GridOf returns the Grid at the front of the integers of a UserKernel, and the bits of its numbers behind it.
func GridOf(integers []int64) (g Grid, numbers []int64) {
	for i := range 3 {
		g.Blocks[i], g.Threads[i] = int(integers[i]), int(integers[3+i])
	}
	g.Shared = int(integers[gridIntegers-1])
	return g, integers[gridIntegers:]
}
