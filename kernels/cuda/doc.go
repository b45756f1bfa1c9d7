// Package cuda runs arrays on NVIDIA's GPUs: importing it registers the devices gpu(0), gpu(1) and so on.
//
//	import _ "github.com/weft-nd/weft/kernels/cuda"
//
// The CUDA driver and cuBLAS, of CUDA 11.4 and later, cuBLASLt, of 12.1 and later, and cuDNN 8.2 to 9 are loaded when a
// gpu is first asked for: one binary runs with and without them. Report tells what was found. Where there is no driver,
// or none that works, gpu(0) gives an error that says why, and everything else works. A program that imports the
// package is linked dynamically with the C library of the system, and needs no C compiler.
//
// Kernels have the names of package device, and are compiled from the sources of internal/ptx; products of matrices of
// floats are cuBLAS's, exact ones of float32 unless WEFT_CUDA_TF32=1. So are convolutions of float16, bfloat16 and
// float32 by cuDNN, where it is found, it is not turned off by WEFT_CUDNN=0, and it takes them: of arrays whose
// elements follow one another, with the same padding on both sides. Its algorithms are those that it thinks the fastest
// of the deterministic ones. Other convolutions are kernels, as they are without cuDNN; both agree within the rounding
// of sums. Fully connected layers without an activation are one call of cuBLASLt, unless WEFT_CUBLASLT=0. What has no
// kernel package ops runs on the CPU.
//
// Element-wise kernels that follow one another while a stream keeps its work are chains, of one launch each: of a
// kernel that interprets them for every element, with the functions, and so the bits, that they have alone.
//
// Compile makes kernels of a program's own by NVRTC, where it is found; ndarray.Launch runs them.
//
// A failure that CUDA calls sticky, such as an access to memory that is not there, takes everything that is on its device with it: the
// device is disabled, whatever uses it fails with an error that names the first failure, and other devices go on.
//
// A Backend may be used from any goroutine, and so may its events; a stream is used by one goroutine at a time. No call of the
// driver comes from a finalizer or cleanup: memory that is freed there is given back by a goroutine, or by the next allocation that
// needs it. Nothing is computed on the default stream.
package cuda
