package profile

import (
	"encoding/json"
	"strconv"
	"time"

	"github.com/weft-nd/weft/fault"
)

// begin appends how every event begins.
func (e *events) begin(phase string, track int) {
	if e.some {
		e.text(",\n")
	}
	e.some = true
	e.text(`{"ph":"` + phase + `","pid":1,"tid":`)
	e.buffer = strconv.AppendInt(e.buffer, int64(track), 10)
}

func (e *events) text(text string) { e.buffer = append(e.buffer, text...) }

// quote appends text in JSON.
func (e *events) quote(text string) {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c >= 0x7f || c == '"' || c == '\\' {
			quoted, _ := json.Marshal(text) // of a string: never fails, and replaces what is not UTF-8
			e.buffer = append(e.buffer, quoted...)
			return
		}
	}
	e.text(`"`)
	e.text(text)
	e.text(`"`)
}

// microseconds appends d with its nanoseconds as decimals.
func (e *events) microseconds(d time.Duration) {
	if d < 0 {
		e.text("-")
		d = -d
	}
	e.buffer = strconv.AppendInt(e.buffer, int64(d/time.Microsecond), 10)
	decimals := d % time.Microsecond
	e.buffer = append(e.buffer, '.', byte('0'+decimals/100), byte('0'+decimals/10%10), byte('0'+decimals%10))
}

// site returns the user's line, which takes long to find.
func (e *events) site(site *fault.Site) string {
	if site == nil {
		return ""
	}
	line, known := e.sites[site]
	if !known {
		line = site.String()
		e.sites[site] = line
	}
	return line
}
