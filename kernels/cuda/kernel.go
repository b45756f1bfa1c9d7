package cuda

import (
	"fmt"
	"strings"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cuda/driver"
	"github.com/weft-nd/weft/kernels/cuda/internal/ptx"
)

// kernel runs a kernel of package ptx.
type kernel struct {
	backend *Backend
	name    string
	found   ptx.Kernel
}

var _ device.Kernel = (*kernel)(nil)

// Kernel returns the kernel with a name such as "add/float32": one for the element types, for their sizes, or for any.
func (b *Backend) Kernel(name string) (device.Kernel, bool) {
	operator, types, _ := strings.Cut(name, "/")
	r, isCompound := recipes[operator]
	computed := types // in
	if r.widens && (types == "float16" || types == "bfloat16") {
		computed = "float32"
	}
	wanted := operator
	if r.kernel != "" {
		wanted = r.kernel
	}
	found, ok := findKernel(wanted + "/" + computed)
	if !ok || r.floats && computed != "float32" && computed != "float64" {
		return nil, false
	}
	k := &kernel{b, name, found}
	if isCompound {
		all := &compound{k, types, r}
		if direction, ok := directions[operator]; ok {
			return &convolution{all, direction}, true
		}
		if operator == "linear" {
			return &affine{all}, true
		}
		return all, true
	}
	if found.Form == ptx.Fold {
		return &fold{k}, true
	}
	if d, err := dtype.Parse(types); operator == "matmul" && err == nil && d.IsFloat() {
		return &product{k}, true
	}
	return k, true
}

func findKernel(name string) (ptx.Kernel, bool) {
	operator, types, _ := strings.Cut(name, "/")
	sizes, isReal := strings.Split(types, "/"), true
	for i, of := range sizes {
		d, err := dtype.Parse(of)
		if err != nil {
			return ptx.Kernel{}, false
		}
		sizes[i] = fmt.Sprintf("bits%d", 8*d.Size())
		isReal = isReal && !d.IsComplex()
	}
	if found, ok := ptx.Find(operator + "_" + strings.ReplaceAll(types, "/", "_")); ok {
		return found, true
	}
	if found, ok := ptx.Find(operator + "_" + strings.Join(sizes, "_")); ok {
		return found, true
	}
	if found, ok := ptx.Find(operator + "_" + strings.ReplaceAll(sizes[0], "bits", "word")); ok && isReal {
		return found, true
	}
	return ptx.Find(operator + "_any")
}

// Threads of a block, and blocks of a launch, at most: a thread does what is left for it in turns.
const (
	eachThreads  = 256
	blockThreads = 128 // as weft.h has memory for
	holdThreads  = 512 // as registers suffice for: see hold.cuh
	mostBlocks   = 1 << 20
)

// Launch enqueues the kernel on s, a stream of the same backend. The arguments are copied.
func (k *kernel) Launch(s device.Stream, a *device.Arguments) error {
	own, err := k.streamOf(s)
	if err != nil {
		return err
	}
	if own.capturing && own.chains {
		return own.enqueueKept(k, a)
	}
	return own.enqueue(func(c driver.Context) error { return k.enqueue(c, own, a) })
}

// streamOf returns s if it is one of the backend.
func (k *kernel) streamOf(s device.Stream) (*stream, error) {
	own, ok := s.(*stream)
	if !ok || own == nil || own.unit.backend != k.backend {
		return nil, fmt.Errorf("cuda: launch of %s on a stream of another backend: %T", k.name, s)
	}
	return own, nil
}

func (k *kernel) enqueue(c driver.Context, s *stream, a *device.Arguments) error {
	if err := s.arguments.set(k.found.Form, a); err != nil {
		return fmt.Errorf("%s: %w", k.name, err)
	}
	count := s.arguments.count
	if count == 0 || (k.found.Form == ptx.Row || k.found.Form == ptx.Hold) && s.arguments.inner == 0 {
		return nil
	}
	f, err := s.unit.modules.function(c, k.found)
	if err != nil {
		return fmt.Errorf("%s: %w", k.name, err)
	}
	blocks, threads := count, eachThreads
	switch k.found.Form {
	case ptx.Tile:
		blocks, threads = uint64(tiles(a.Integers)), blockThreads
		s.arguments.count = blocks
	case ptx.Packed:
		alone := count - s.arguments.packs*packSize(a.Outputs, a.Inputs)
		blocks = (s.arguments.packs + alone + eachThreads - 1) / eachThreads
	case ptx.Hold:
		threads = 32
		for threads < holdThreads && uint64(threads*heldElements) < s.arguments.inner {
			threads *= 2
		}
	case ptx.Each, ptx.Inner:
		blocks = (count + eachThreads - 1) / eachThreads
	default:
		threads = blockThreads
		for threads > 32 && uint64(threads/2) >= s.arguments.inner {
			threads /= 2
		}
	}
	return s.launch(c, f, int(min(blocks, mostBlocks)), threads)
}
