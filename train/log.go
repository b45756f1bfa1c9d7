package train

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"slices"
	"time"
)

const rateName = "samples_per_second"

// Entry is a line of a log: about a step or about an epoch that has ended.
type Entry struct {
	Kind  string // "step" or "epoch"
	Epoch int    // from 1
	Step  int    // since the training began, from 1
	// Values are "loss", the metrics, of an epoch those behind "validation_", and "samples_per_second" of the steps that the process made.
	// They are null in the file, NaN here, where they are not finite.
	Values map[string]float64
}

// MarshalJSON writes an object of the fields in lower case and of Values, in the order of their names.
func (e Entry) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, `{"kind":%q,"epoch":%d,"step":%d`, e.Kind, e.Epoch, e.Step)
	for _, name := range slices.Sorted(maps.Keys(e.Values)) {
		key, err := json.Marshal(name)
		if err != nil {
			return nil, err
		}
		value := []byte("null")
		if v := e.Values[name]; !math.IsNaN(v) && !math.IsInf(v, 0) {
			if value, err = json.Marshal(v); err != nil {
				return nil, err
			}
		}
		fmt.Fprintf(&b, ",%s:%s", key, value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// UnmarshalJSON reads what MarshalJSON writes.
func (e *Entry) UnmarshalJSON(text []byte) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		return err
	}
	*e = Entry{Values: map[string]float64{}}
	for name, raw := range fields {
		var err error
		switch name {
		case "kind":
			err = json.Unmarshal(raw, &e.Kind)
		case "epoch":
			err = json.Unmarshal(raw, &e.Epoch)
		case "step":
			err = json.Unmarshal(raw, &e.Step)
		default:
			v := new(float64)
			if err = json.Unmarshal(raw, &v); v == nil {
				e.Values[name] = math.NaN()
			} else {
				e.Values[name] = *v
			}
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	if e.Kind == "" {
		return errors.New("a line of a log has a kind")
	}
	return nil
}

// ReadLog reads the entries of a log up to its end, or to a line that a killed process has not ended.
func ReadLog(r io.Reader) ([]Entry, error) {
	var entries []Entry
	for decoder := json.NewDecoder(r); ; {
		var e Entry
		switch err := decoder.Decode(&e); {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return entries, nil
		case err != nil:
			return entries, fmt.Errorf("line %d of the log: %w", len(entries)+1, err)
		}
		entries = append(entries, e)
	}
}

// Log is a Callback that writes a line of JSON about each step and each epoch to a file, at once, so that it is there whatever happens
// next. A training that goes on after a checkpoint keeps the lines of the steps before it, and replaces those behind; another
// begins the file anew. What is no regular file, such as a pipe, is written to as it is.
type Log struct {
	path  string
	now   func() time.Time
	file  *os.File
	start map[string]time.Time // when what the next entry of a kind is about began
	last  time.Time            // when the last step was told of
	seen  int                  // samples of the epoch in this process
}

// NewLog returns a Log that writes to path. It panics with *nd.Error if that is empty.
func NewLog(path string) *Log {
	if path == "" {
		mistake("train.NewLog", "the path is empty")
	}
	return &Log{path: path, now: time.Now}
}

// Handle implements Callback.
func (l *Log) Handle(_ context.Context, e *Event) error {
	switch e.Kind {
	case Began:
		return l.open(e)
	case Stepped:
		l.seen, l.last = l.seen+e.Samples, l.now()
		return l.write("step", e, e.Samples)
	case EpochEnded:
		err := l.write("epoch", e, l.seen)
		l.seen, l.start["step"], l.start["epoch"] = 0, l.now(), l.now() // the validation is nobody's time
		return err
	}
	if l.file == nil {
		return nil
	}
	defer func() { l.file = nil }()
	return l.file.Close()
}

// open opens the file and keeps what it tells of the steps and epochs before an event.
func (l *Log) open(e *Event) error {
	now := l.now()
	l.start, l.last, l.seen = map[string]time.Time{"step": now, "epoch": now}, now, 0
	mode := os.O_RDWR | os.O_CREATE
	info, err := os.Stat(l.path)
	irregular := err == nil && !info.Mode().IsRegular()
	if irregular {
		mode = os.O_WRONLY
	}
	if l.file, err = os.OpenFile(l.path, mode, 0o666); err != nil {
		return fmt.Errorf("log: %w", err)
	}
	if !irregular {
		if err := cut(l.file, e); err != nil {
			return fmt.Errorf("log: %w", err)
		}
	}
	return nil
}

// cut ends the file after the entries of the steps and epochs before an event, and goes there.
func cut(file *os.File, before *Event) error {
	var kept int64
	for decoder := json.NewDecoder(file); ; {
		var e Entry
		if decoder.Decode(&e) != nil || e.Step > before.Step || e.Kind == "epoch" && e.Epoch >= before.Epoch {
			break
		}
		kept = decoder.InputOffset()
	}
	if err := file.Truncate(kept); err != nil {
		return err
	}
	if _, err := file.Seek(kept, io.SeekStart); err != nil {
		return err
	}
	if kept == 0 {
		return nil
	}
	_, err := file.Write([]byte("\n"))
	return err
}

// write adds an entry about so many samples.
func (l *Log) write(kind string, e *Event, samples int) error {
	entry := Entry{Kind: kind, Epoch: e.Epoch, Step: e.Step, Values: maps.Clone(e.Values)}
	if entry.Values == nil {
		entry.Values = map[string]float64{}
	}
	entry.Values[lossName] = e.Loss
	if elapsed := l.last.Sub(l.start[kind]).Seconds(); elapsed > 0 {
		entry.Values[rateName] = float64(samples) / elapsed
	}
	l.start[kind] = l.last
	line, err := json.Marshal(entry)
	if err == nil {
		_, err = l.file.Write(append(line, '\n'))
	}
	if err != nil {
		return fmt.Errorf("log: %w", err)
	}
	return nil
}
