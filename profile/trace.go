package profile

import (
	"io"
)

// closing is what makes of a list of events a JSON array.
const closing = "\n]\n"

// blockSize is about how much of a trace is written at once.
const blockSize = 64 << 10

// WriteTrace writes the records as a JSON array of trace events, for https://ui.perfetto.dev or Chrome's about:tracing: a
// thread for every lane, more where a lane did several things at once; an event with arguments for every record; a flow to
// every operation from the one that made it ready. Times are in microseconds since the start of the process.
func (l *Log) WriteTrace(w io.Writer) error {
	e := newEvents(int(l.limit))
	for r := range l.Records() {
		e.add(&r)
		if len(e.buffer) >= blockSize {
			if _, err := w.Write(e.buffer); err != nil {
				return err
			}
			e.buffer = e.buffer[:0]
		}
	}
	e.text(closing)
	_, err := w.Write(e.buffer)
	return err
}
