package train

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"
)

// NewProgress returns a Callback that writes a line about each epoch, and ten on its way, to w.
func NewProgress(w io.Writer) Callback {
	return &progress{w: w, now: time.Now}
}

type progress struct {
	w       io.Writer
	now     func() time.Time
	start   time.Time
	steps   time.Duration // that the steps of the epoch took in this process
	samples int           // of these steps
	told    int           // tenths of the epoch
}

// Handle implements Callback.
func (p *progress) Handle(_ context.Context, e *Event) error {
	switch e.Kind {
	case Began:
		p.start, p.steps, p.samples, p.told = p.now(), 0, 0, 0
	case Stepped:
		p.samples, p.steps = p.samples+e.Samples, p.now().Sub(p.start)
		l := e.Trainer.Loader
		if tenths := 10 * l.State().Given / max(l.Len(), 1); tenths > p.told && tenths < 10 {
			p.told = tenths
			return p.tell(e, fmt.Sprintf("%d%%", 10*tenths))
		}
	case EpochEnded:
		err := p.tell(e, "done")
		p.start, p.steps, p.samples, p.told = p.now(), 0, 0, 0
		return err
	}
	return nil
}

func (p *progress) tell(e *Event, part string) error {
	line := fmt.Sprintf("epoch %d/%d  %4s  step %d  loss %.4f", e.Epoch, e.Epochs, part, e.Step, e.Loss)
	for _, name := range slices.Sorted(maps.Keys(e.Values)) {
		line += fmt.Sprintf("  %s %.4f", name, e.Values[name])
	}
	if seconds := p.steps.Seconds(); seconds > 0 { // without the validation
		line += fmt.Sprintf("  %.0f samples/s", float64(p.samples)/seconds)
	}
	_, err := fmt.Fprintln(p.w, line)
	return err
}
