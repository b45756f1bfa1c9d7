package main

import (
	"encoding/json"
	"io"
	"os"
	"time"
)

// record is a line of the file of -log, about a step or about an epoch that has ended.
type record struct {
	Kind     string  `json:"kind"`              // "step" or "epoch"
	Epoch    int     `json:"epoch"`             // from 1
	Step     int     `json:"step"`              // since training began, from 1
	Loss     float64 `json:"loss"`              // of the step, or the mean of the epoch's steps
	Accuracy float64 `json:"accuracy"`          // on the images of the step, or on the test data
	Rate     float64 `json:"images_per_second"` // of this process
}

// log writes records as lines of JSON, each at once, so that they are there whatever happens next. A nil log writes nothing.
type log struct {
	file  *os.File
	start map[string]time.Time // when what the next record of a kind is about began
}

// openLog creates the file at path, or, if steps were made before, keeps what it tells of them. What is no regular file, such as a
// pipe, is written to as it is. Without a path it returns nil.
func openLog(path string, steps int) (*log, error) {
	if path == "" {
		return nil, nil
	}
	mode := os.O_RDWR | os.O_CREATE
	info, err := os.Stat(path)
	irregular := err == nil && !info.Mode().IsRegular()
	if irregular {
		mode = os.O_WRONLY
	}
	file, err := os.OpenFile(path, mode, 0o666)
	if err != nil {
		return nil, err
	}
	if !irregular {
		if err := cut(file, steps); err != nil {
			file.Close()
			return nil, err
		}
	}
	now := time.Now()
	return &log{file, map[string]time.Time{"step": now, "epoch": now}}, nil
}

// cut ends the file after the records of the first steps, and goes there.
func cut(file *os.File, steps int) error {
	var kept []byte
	for records := json.NewDecoder(file); ; {
		var line json.RawMessage
		var r record
		if records.Decode(&line) != nil || json.Unmarshal(line, &r) != nil || r.Step > steps {
			break
		}
		kept = append(append(kept, line...), '\n')
	}
	if err := file.Truncate(0); err != nil {
		return err
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	_, err := file.Write(kept)
	return err
}

// write adds a record about so many images.
func (l *log) write(r record, images int) error {
	if l == nil {
		return nil
	}
	now := time.Now()
	if elapsed := now.Sub(l.start[r.Kind]).Seconds(); elapsed > 0 {
		r.Rate = float64(images) / elapsed
	}
	l.start[r.Kind] = now
	return json.NewEncoder(l.file).Encode(r)
}

// close ends the file.
func (l *log) close() error {
	if l == nil {
		return nil
	}
	return l.file.Close()
}
