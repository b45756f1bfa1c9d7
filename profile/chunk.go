package profile

import (
	"time"
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/fault"
)

const chunkSize = 1024

// chunk keeps up to chunkSize records. What repeats from record to record is kept once, as a label; entries and accesses
// hold no pointers, so that the garbage collector passes them over.
type chunk struct {
	used     int
	entries  [chunkSize]entry
	accesses words
	labels   []label
	errors   []error
	recent   [256]uint16 // by hash: where in labels one was seen last; checked by comparing, so it may be stale
}

type entry struct {
	number, cause             uint64
	pushed, ready, start, end time.Duration
	bytes, work               int64
	accesses                  uint32 // where those of this record end; they begin where the previous record's end
	label                     uint16
	failure                   uint16 // one more than the index in errors; 0 if there was none; and skippedBit
}

// skippedBit is that of a record whose operation did not run; indexes are far below.
const skippedBit = 1 << 15

type label struct {
	name, lane string
	device     device.Device
	site       *fault.Site
}

func newChunk(accesses int) *chunk { return &chunk{accesses: make(words, 0, accesses)} }

func (c *chunk) full() bool { return c.used == chunkSize }

// reset empties c, keeping its memory.
func (c *chunk) reset() {
	clear(c.labels)
	clear(c.errors)
	c.used, c.accesses, c.labels, c.errors = 0, c.accesses[:0], c.labels[:0], c.errors[:0]
}

func (c *chunk) add(r *Record) {
	e := &c.entries[c.used]
	c.used++
	c.accesses = c.accesses.pack(r.Accesses)
	*e = entry{
		number: r.Number, cause: r.Cause,
		pushed: r.Pushed, ready: r.Ready, start: r.Start, end: r.End,
		bytes: r.Bytes, work: r.Work,
		accesses: uint32(len(c.accesses)),
		label:    c.find(r),
	}
	if r.Err != nil {
		c.errors = append(c.errors, r.Err)
		e.failure = uint16(len(c.errors))
	}
	if r.Skipped {
		e.failure |= skippedBit
	}
}

// find returns the index of the label of r. One that was not met lately is added again, which costs memory only.
func (c *chunk) find(r *Record) uint16 {
	slot := &c.recent[hash(r)]
	if i := int(*slot); i < len(c.labels) {
		known := &c.labels[i]
		if known.site == r.Site && known.device == r.Device && known.name == r.Name && known.lane == r.Lane {
			return *slot
		}
	}
	*slot = uint16(len(c.labels))
	c.labels = append(c.labels, label{r.Name, r.Lane, r.Device, r.Site})
	return *slot
}

// hash goes by addresses: names and lanes are constants or made once, and sites are shared.
func hash(r *Record) uint8 {
	const odd = 0x9e3779b97f4a7c15 // 2^64 divided by the golden ratio: Fibonacci hashing
	name := uint64(uintptr(unsafe.Pointer(unsafe.StringData(r.Name))))
	lane := uint64(uintptr(unsafe.Pointer(unsafe.StringData(r.Lane))))
	site := uint64(uintptr(unsafe.Pointer(r.Site)))
	return uint8((name + lane<<20 + site<<40 + site) * odd >> 56)
}

// records returns copies of the records from index from to before index to.
func (c *chunk) records(from, to int) []Record {
	begin := uint32(0)
	if from > 0 {
		begin = c.entries[from-1].accesses
	}
	accesses := make([]Access, 0, c.entries[to-1].accesses-begin)
	records := make([]Record, 0, to-from)
	for i := range c.entries[from:to] {
		e := &c.entries[from+i]
		l := &c.labels[e.label]
		first := len(accesses)
		accesses = c.accesses[begin:e.accesses].unpack(accesses)
		begin = e.accesses
		r := Record{
			Number: e.number, Name: l.name, Device: l.device, Lane: l.lane,
			Pushed: e.pushed, Ready: e.ready, Start: e.start, End: e.end,
			Bytes: e.bytes, Work: e.work, Skipped: e.failure&skippedBit != 0, Site: l.site, Cause: e.cause,
		}
		if first < len(accesses) {
			r.Accesses = accesses[first:len(accesses):len(accesses)]
		}
		if failure := e.failure &^ skippedBit; failure != 0 {
			r.Err = c.errors[failure-1]
		}
		records = append(records, r)
	}
	return records
}
