package storage

import (
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/fault"
)

// watchedSource is host memory that knows what is mapped and what of it may have memory behind it. It panics if a call does not
// fit, and fills what is discarded with poison.
type watchedSource struct {
	hostSource
	mu       sync.Mutex
	mapped   map[uintptr]int
	dirty    map[uintptr]bool // by page
	room     int              // mappings that fail do not fit; zero: all do
	discards int
}

const poison = 0xDD

func newWatchedSource() *watchedSource {
	return &watchedSource{mapped: map[uintptr]int{}, dirty: map[uintptr]bool{}}
}

func (s *watchedSource) Allocate(bytes int) (device.Pointer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if bytes <= 0 || bytes%classPage != 0 {
		panic(fmt.Sprintf("asked for %d bytes, which are not pages", bytes))
	}
	if s.room > 0 && s.bytes()+bytes > s.room {
		return device.Pointer{}, fmt.Errorf("%w: the test has no %d bytes", fault.ErrOutOfMemory, bytes)
	}
	p, err := s.hostSource.Allocate(bytes)
	if err == nil {
		s.mapped[uintptr(p.Host)] = bytes
	}
	return p, err
}

// bytes returns how many are mapped.
func (s *watchedSource) bytes() (all int) {
	for _, bytes := range s.mapped {
		all += bytes
	}
	return all
}

func (s *watchedSource) Free(p device.Pointer, bytes int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.mapped[uintptr(p.Host)] != bytes || bytes == 0 {
		panic(fmt.Sprintf("freed %d bytes at %p of a mapping of %d", bytes, p.Host, s.mapped[uintptr(p.Host)]))
	}
	delete(s.mapped, uintptr(p.Host))
	s.clean(p, bytes)
	s.hostSource.Free(p, bytes)
}

func (s *watchedSource) Discard(p device.Pointer, bytes int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	inside := func(start uintptr) bool {
		return start <= uintptr(p.Host) && uintptr(p.Host)+uintptr(bytes) <= start+uintptr(s.mapped[start])
	}
	if bytes <= 0 || bytes%classPage != 0 || !slices.ContainsFunc(slices.Collect(maps.Keys(s.mapped)), inside) {
		panic(fmt.Sprintf("discarded %d bytes at %p, which are no pages of one mapping", bytes, p.Host))
	}
	s.discards++
	s.clean(p, bytes)
	for at := 0; at < bytes; at += classPage {
		*(*byte)(p.Add(at).Host) = poison
	}
}

func (s *watchedSource) clean(p device.Pointer, bytes int) {
	for at := uintptr(0); at < uintptr(bytes); at += classPage {
		delete(s.dirty, uintptr(p.Host)+at)
	}
}

// touch says that bytes at p have been used.
func (s *watchedSource) touch(p device.Pointer, bytes int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for at := uintptr(0); at < uintptr(bytes); at += classPage {
		s.dirty[uintptr(p.Host)+at] = true
	}
}
