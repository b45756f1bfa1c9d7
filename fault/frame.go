//go:build (amd64 || arm64) && !noasm

package fault

// follow writes the return addresses of the goroutine's frames to counters, from its caller's outwards, and hashes them.
// It reports whether it came to the end of the stack or of counters; if not, a frame pointer was not one, and counters
// means nothing.
//
// The runtime moves the stack of a goroutine only where the goroutine calls a function or is preempted, and it preempts no
// function written in assembly. So frame pointers stay valid throughout follow, which calls nothing, and never leave it.
// What it reads is always stack: it follows a frame pointer only to an address between the last one and the stack's end.
//
//go:noescape
func follow(counters *[reach]uintptr) (hash uint64, whole bool)
