package guarded

import (
	"syscall"
	"testing"
)

// Memory returns whole pages, at least so many bytes, between two pages that nobody may touch. It is there until the test ends.
func Memory(t testing.TB, bytes int) []byte {
	page := syscall.Getpagesize()
	bytes = (bytes + page - 1) / page * page
	memory, err := syscall.Mmap(-1, 0, bytes+2*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	require(t, err)
	t.Cleanup(func() { require(t, syscall.Munmap(memory)) })
	require(t, syscall.Mprotect(memory[:page], syscall.PROT_NONE))
	require(t, syscall.Mprotect(memory[page+bytes:], syscall.PROT_NONE))
	return memory[page : page+bytes]
}

func require(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
