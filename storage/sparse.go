package storage

// sparse pads an object that has weak pointers or cleanups, so that few of its kind share a span of Go's heap: the runtime
// keeps the cleanups of a span in one list, ordered by address, and walks it to insert a new one. A span of objects of 8 bytes
// may have two thousand.
type sparse [504]byte
