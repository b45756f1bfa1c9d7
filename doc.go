// Package weft is the root of an n-dimensional array library. It holds no code: users import its packages.
//
//   - ndarray: arrays, the package to start with
//   - autograd, nn, optim, data: gradients, layers, optimisers, data sets
//   - ops: the registry of operators
//   - engine, storage, resource, parallel: what runs operators, and what they run on
//   - profile: what ran when
//
// Arrays are asynchronous: an operation returns at once, and a dependency engine runs it as soon as what it reads and writes
// is free. Everything may be called from any goroutine.
package weft
