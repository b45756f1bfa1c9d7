//go:build !(amd64 || arm64) || noasm

package fault

import "runtime"

// follow writes the call path of Here's caller to counters and hashes it, as far as runtime.Callers can tell, which is
// always whole.
func follow(counters *[reach]uintptr) (hash uint64, whole bool) {
	for _, counter := range counters[:runtime.Callers(3, counters[:])] {
		hash = (hash + uint64(counter)) * hashFactor
	}
	return hash, true
}
