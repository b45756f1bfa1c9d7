package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/profile"
)

// recordingLimit is how many operations a recording keeps, the newest: four epochs of MNIST, a page of 6 MB.
const recordingLimit = 1 << 17

// recording keeps what the engine does while the network learns.
type recording struct {
	folder string
	log    *profile.Log
	stop   func()
}

// startRecording begins what -profile asks for; without that it returns nil. It makes the folder at once, so that a wrong name
// is found before the training.
func (o *options) startRecording(e engine.Engine) (*recording, error) {
	if o.profile == "" {
		return nil, nil
	}
	if err := os.MkdirAll(o.profile, 0o755); err != nil {
		return nil, fmt.Errorf("-profile: %w", err)
	}
	log := profile.New(recordingLimit)
	return &recording{o.profile, log, e.Observe(log)}, nil
}

// finish writes the files, however the training ended, and tells out their names.
func (r *recording) finish(out io.Writer) error {
	if r == nil {
		return nil
	}
	r.stop()
	line := "profile:"
	for _, file := range []struct {
		name  string
		write func(io.Writer) error
	}{
		{"timeline.html", r.log.WriteTimeline},
		{"table.txt", r.log.WriteTable},
		{"trace.json", r.log.WriteTrace},
	} {
		path := filepath.Join(r.folder, file.name)
		if err := writeFile(path, file.write); err != nil {
			return err
		}
		line += " " + path
	}
	fmt.Fprintln(out, line)
	return nil
}
