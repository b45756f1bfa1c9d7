// Package kvstore keeps values, such as the parameters of a model, in step on several devices.
//
// A [Store] has a value for each key. Push adds up one array from each device and writes the sum, or what an [Updater] makes of it;
// Pull copies the value to the devices; PushPull does both. [NewLocal] adds on cpu(0), [NewDevice] on the devices themselves. Arrays
// are added in the order of the devices, two at a time, so results are equal in every bit whatever the timing. A [Trainer] trains
// copies of a model on several devices, each with its part of every batch. The names are those of MXNet's KVStore; keys are strings,
// because the names of parameters are.
//
// No call waits for computing: calls push operators, which the dependency engine orders by the arrays that they touch. Sums and
// copies overlap with whatever else is computed, and a priority says which of those that are ready come first: −i for the i-th
// parameter lets the layers at the front, which the next step needs first, go before those behind.
//
// # Errors
//
// Mistakes in a call, such as an unknown key, panic with *nd.Error and change nothing. A failure at run time, as of a gradient that is
// in error, sticks to its key alone: what is pulled is in error until the next push or Set of the key that succeeds. An Updater gets
// the last value that was without error, so that one failed gradient loses nothing.
//
// # Concurrency
//
// A Store may be used from any goroutine; calls with the same key take effect in the order in which they are made. A Trainer is used
// by one goroutine at a time.
//
// # What it does not do
//
// A store lives in one process: there is nothing here for several machines. Sparse rows and compressed gradients are not here either.
package kvstore
