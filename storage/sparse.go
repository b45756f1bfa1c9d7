package storage

// sparse makes an object with weak pointers or cleanups so large that few share a span of Go's heap: the runtime has those of a span in one
// list, ordered by address, and walks over all before a new one. Of objects of 8 bytes there may be two thousand.
type sparse [504]byte
