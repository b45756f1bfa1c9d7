// Package weft is the root of an n-dimensional array library. It holds no code: users import its packages.
//
//   - ndarray: arrays, the package to start with
//   - autograd, nn, optim, data, random: gradients, layers, optimisers, data sets, random arrays
//   - linalg, fft: linear algebra, discrete Fourier transforms
//   - train, kvstore: the loop around these, and parameters in step on several devices
//   - einsum: equations of contractions, and the order in which they cost least
//   - ops: the registry of operators
//   - engine, storage, resource, parallel: what runs operators, and what they run on
//   - kernels/cuda: importing it makes NVIDIA's GPUs known
//   - profile: what ran when
//
// Arrays are asynchronous: an operation returns at once, and a dependency engine runs it as soon as what it reads and writes
// is free. Arrays, tapes, engines and memory may be used from any goroutine; what steps through something, such as an optimiser, a trainer
// or a loader, by one goroutine at a time.
package weft
