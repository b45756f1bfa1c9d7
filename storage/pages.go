package storage

import (
	"fmt"
	"os"
	"sync"
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
)

// pages is one allocation of a guarded manager: whole pages, with the memory at their end, and behind them one page that stays
// closed.
type pages struct {
	start  unsafe.Pointer
	bytes  int    // of the memory
	length int    // of the pages, without the one that stays closed
	guard  *guard // whose memory it is; nil if it is nobody's, and open
	freed  bool
}

// reach is what functions may do with a page.
type reach uint8

const (
	reachNone reach = iota
	reachRead
	reachWrite
)

// fenced are the allocations of all guarded managers, the quarantine included. What is in them, and in their guards, changes
// under its lock.
var fenced struct {
	sync.Mutex
	all         map[uintptr]*pages // by the address of the memory
	quarantine  []*pages           // freed, oldest first
	quarantined int                // bytes of these
}

// quarantineLimit is how many bytes of freed memory stay closed instead of going back to the system.
const quarantineLimit = 64 << 20

// Systems bound how many mappings a process has, often by 65530, and Go's runtime does not survive running out of them. An
// allocation takes two, and more while parts of it are open. So small arrays are no longer protected from the first bound on,
// and large ones are refused from the second on.
const (
	fencedSmall = 14 << 10
	fencedAll   = 24 << 10
)

var pageSize = os.Getpagesize()

func roundUp(n, multiple int) int { return (n + multiple - 1) / multiple * multiple }

// memory returns the address of the memory. Its end is that of the pages, as far as the alignment allows.
func (p *pages) memory() unsafe.Pointer { return unsafe.Add(p.start, p.offset()) }

func (p *pages) offset() int { return p.length - roundUp(p.bytes, alignment) }

// mapped is what the allocation takes of the address space.
func (p *pages) mapped() int { return p.length + pageSize }

// protect lets functions do with the pages from first to last what access says. A system that refuses has run out of memory for
// its tables.
func (p *pages) protect(first, last int, access reach) {
	if err := protectPages(unsafe.Add(p.start, first*pageSize), (last+1-first)*pageSize, access); err != nil {
		panic(&fault.Error{
			Operator: "sanitizer", Cause: fault.ErrOutOfMemory,
			Detail: fmt.Sprintf("%v: the system refused to protect pages of %s: %v", fault.ErrOutOfMemory, formatBytes(int64(p.bytes)), err),
		})
	}
}

// fencedSource gives every allocation pages of its own.
type fencedSource struct{ hostSource }

// Allocate implements source. The memory is open.
func (s fencedSource) Allocate(bytes int) (device.Pointer, error) {
	p := &pages{bytes: bytes, length: roundUp(bytes, pageSize)}
	if p.length < bytes || p.mapped() < p.length {
		return device.Pointer{}, fmt.Errorf("%w: no system has %s", fault.ErrOutOfMemory, formatBytes(int64(bytes)))
	}
	if fencedCount() >= fencedAll {
		return device.Pointer{}, fmt.Errorf("%w: the sanitizer protects no more than %d arrays at a time", fault.ErrOutOfMemory, fencedAll)
	}
	start, err := s.hostSource.Allocate(p.mapped())
	if err != nil {
		return device.Pointer{}, err
	}
	p.start = start.Host
	last := p.length / pageSize
	p.protect(last, last, reachNone)
	fenced.Lock()
	defer fenced.Unlock()
	if fenced.all == nil {
		fenced.all = map[uintptr]*pages{}
		engine.LocateMemory(locate)
	}
	fenced.all[uintptr(p.memory())] = p
	return device.Pointer{Host: p.memory()}, nil
}

// Free implements source: it closes the memory, and gives what was freed longest ago back to the system.
func (s fencedSource) Free(d device.Pointer, _ int) {
	fenced.Lock()
	defer fenced.Unlock()
	p := fenced.all[uintptr(d.Host)]
	p.freed = true
	p.protect(0, p.length/pageSize, reachNone)
	fenced.quarantine = append(fenced.quarantine, p)
	fenced.quarantined += p.mapped()
	for fenced.quarantined > quarantineLimit {
		oldest := fenced.quarantine[0]
		fenced.quarantine[0] = nil
		fenced.quarantine = fenced.quarantine[1:]
		fenced.quarantined -= oldest.mapped()
		delete(fenced.all, uintptr(oldest.memory()))
		s.hostSource.Free(device.Pointer{Host: oldest.start}, oldest.mapped())
	}
}

// fencedCount returns how many allocations there are, the quarantine included.
func fencedCount() int {
	fenced.Lock()
	defer fenced.Unlock()
	return len(fenced.all)
}

// locate tells what is at an address; see engine.LocateMemory.
func locate(address uintptr) (place engine.Place, known bool) {
	fenced.Lock()
	defer fenced.Unlock()
	for _, p := range fenced.all {
		if start := uintptr(p.start); start <= address && address < start+uintptr(p.mapped()) {
			return p.place(int(address-start) - p.offset()), true
		}
	}
	return engine.Place{}, false
}

// place tells what is offset bytes from the start of the memory.
func (p *pages) place(offset int) engine.Place {
	kind, site := "memory", ""
	switch {
	case p.guard != nil && p.freed:
		kind, site = "a freed array", " made at "+p.guard.site.String()
	case p.guard != nil:
		kind, site = "an array", " made at "+p.guard.site.String()
	case p.freed:
		kind = "freed memory"
	}
	what := fmt.Sprintf("%s of %d bytes%s", kind, p.bytes, site)
	switch {
	case offset < 0:
		return engine.Place{What: fmt.Sprintf("%d bytes before the start of %s", -offset, what)}
	case offset >= p.bytes:
		return engine.Place{What: fmt.Sprintf("%d bytes behind the end of %s", offset-p.bytes, what)}
	}
	place := engine.Place{What: fmt.Sprintf("byte %d of %s", offset, what), Offset: int64(offset)}
	if p.guard != nil && !p.freed {
		place.Guard = p.guard
	}
	return place
}
