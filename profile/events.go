package profile

import (
	"strconv"
	"time"

	"github.com/weft-nd/weft/fault"
)

// events turns records into events of the trace event format (Google, "Trace Event Format", 2016), one to a line. Perfetto
// and Chrome draw them.
type events struct {
	buffer []byte // what was not written yet; emptied by whoever writes it
	some   bool   // at least one event was made: the next follows a comma
	tracks tracks
	ends   ends
	flow   uint64 // the last flow's
	sites  map[*fault.Site]string
}

// newEvents begins with an event that names the process. Flows begin at the remembered latest operations.
func newEvents(remembered int) *events {
	e := &events{ends: ends{limit: remembered}, sites: make(map[*fault.Site]string)}
	e.buffer = append(e.buffer, "[\n"...)
	e.begin("M", 0)
	e.text(`,"name":"process_name","args":{"name":"weft"}}`)
	return e
}

// add appends the events of r: the operation itself, and the flow to it from the operation that made it ready.
func (e *events) add(r *Record) {
	start, end := r.Start, max(r.End, r.Start+1) // an event without duration is not drawn and takes no flow
	place, fresh := e.tracks.place(r.Lane, start, end)
	if fresh {
		e.track(place)
	}
	if from, known := e.ends.find(r.Cause); known && r.Cause != 0 {
		e.flow++
		e.arrow("s", from.track, from.end-1) // inside the event that it comes from
		e.arrow("f", place.index, start)
	}
	if r.Number != 0 && !r.isWait() {
		e.ends.add(r.Number, ending{place.index, end})
	}
	e.begin("X", place.index)
	e.text(`,"cat":"`)
	switch {
	case r.isWait():
		e.text("wait")
	case r.Skipped:
		e.text("skipped")
	case r.Err != nil:
		e.text("failed")
	default:
		e.text("operation")
	}
	e.text(`","name":`)
	e.quote(r.Name)
	e.text(`,"ts":`)
	e.microseconds(start)
	e.text(`,"dur":`)
	e.microseconds(end - start)
	e.arguments(r)
	e.text("}")
}

func (e *events) arguments(r *Record) {
	e.text(`,"args":{"number":`)
	e.buffer = strconv.AppendUint(e.buffer, r.Number, 10)
	e.text(`,"device":`)
	e.quote(r.Device.String())
	e.text(`,"queued_us":`)
	e.microseconds(r.Ready - r.Pushed)
	e.text(`,"waited_us":`)
	e.microseconds(r.Start - r.Ready)
	if r.Cause != 0 {
		e.text(`,"cause":`)
		e.buffer = strconv.AppendUint(e.buffer, r.Cause, 10)
	}
	if site := e.site(r.Site); site != "" {
		e.text(`,"site":`)
		e.quote(site)
	}
	e.amount("bytes", "gigabytes_per_second", r.Bytes, r.duration())
	e.amount("work", "gigaflop_per_second", r.Work, r.duration())
	if r.Skipped {
		e.text(`,"skipped":true`)
	}
	if r.Err != nil {
		e.text(`,"error":`)
		e.quote(r.Err.Error())
	}
	e.text("}")
}

// amount appends what is known of bytes or work, and its rate: units per nanosecond are 10⁹ per second.
func (e *events) amount(name, rate string, amount int64, d time.Duration) {
	if amount <= 0 {
		return
	}
	e.text(`,"` + name + `":`)
	e.buffer = strconv.AppendInt(e.buffer, amount, 10)
	if d > 0 {
		e.text(`,"` + rate + `":`)
		e.buffer = strconv.AppendFloat(e.buffer, float64(amount)/float64(d), 'f', 3, 64)
	}
}

// track appends the events that name a new track and say where it is drawn.
func (e *events) track(t *track) {
	e.begin("M", t.index)
	e.text(`,"name":"thread_name","args":{"name":`)
	e.quote(t.name())
	e.text("}}")
	e.begin("M", t.index)
	e.text(`,"name":"thread_sort_index","args":{"sort_index":`)
	e.buffer = strconv.AppendInt(e.buffer, int64(t.rank()), 10)
	e.text("}}")
}

// arrow appends one end of the flow.
func (e *events) arrow(phase string, track int, at time.Duration) {
	e.begin(phase, track)
	e.text(`,"cat":"cause","name":"made ready","bp":"e","id":`)
	e.buffer = strconv.AppendUint(e.buffer, e.flow, 10)
	e.text(`,"ts":`)
	e.microseconds(at)
	e.text("}")
}

// lost appends a mark: count records before the one at a time are missing.
func (e *events) lost(count uint64, at time.Duration) {
	e.begin("i", 0)
	e.text(`,"s":"g","name":"` + strconv.FormatUint(count, 10) + ` records were lost: the file is too slow","ts":`)
	e.microseconds(at)
	e.text("}")
}
