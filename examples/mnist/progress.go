package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
)

// Progress tells how an epoch of training goes: as a live bar on a terminal, as ten lines elsewhere. One goroutine uses it.
type Progress struct {
	w             io.Writer
	bar           *progressbar.ProgressBar // nil where w is no terminal
	now           func() time.Time
	start         time.Time
	epoch, epochs int
	images, done  int
	skipped       int     // the part of done that an earlier process trained with
	lossSum       float64 // of every image
	linesTold     int     // the tenths of the epoch that have had their line
	told          int     // done at the last line
}

// NewProgress starts the clock of an epoch (from 1 to epochs) of so many images, and writes to w.
func NewProgress(w *os.File, epoch, epochs, images int) *Progress {
	return newProgress(w, isTerminal(w), time.Now, epoch, epochs, images)
}

func newProgress(w io.Writer, terminal bool, now func() time.Time, epoch, epochs, images int) *Progress {
	p := &Progress{w: w, now: now, start: now(), epoch: epoch, epochs: epochs, images: max(images, 1)}
	if terminal {
		p.bar = progressbar.NewOptions(p.images, progressbar.OptionSetWriter(w), progressbar.OptionSetWidth(16),
			progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionSetDescription(p.headline()))
	}
	return p
}

// Add counts a step over so many images, whose mean loss is loss.
func (p *Progress) Add(images int, loss float64) {
	p.done += images
	p.lossSum += loss * float64(images)
	if p.bar != nil {
		p.bar.Describe(p.headline())
		p.bar.Set(min(p.done, p.images))
		return
	}
	if tenths := min(10*p.done/p.images, 10); tenths > p.linesTold {
		p.linesTold = tenths
		p.tell()
	}
}

// Skip counts images with which an earlier process trained: they are in the part that is done, not in the loss and the rate.
func (p *Progress) Skip(images int) {
	p.done += images
	p.skipped += images
	p.linesTold, p.told = min(10*p.done/p.images, 10), p.done
}

// Finish ends the bar's line, or writes the last line if the epoch ended early.
func (p *Progress) Finish() {
	if p.bar != nil {
		p.bar.Exit()
		fmt.Fprintln(p.w)
	} else if p.told < p.done && p.linesTold < 10 {
		p.tell()
	}
}

func (p *Progress) tell() {
	p.told = p.done
	fmt.Fprintf(p.w, "%s  %d/%d images\n", p.headline(), p.done, p.images)
}

// headline is the epoch, the mean loss of its images so far, and their rate.
func (p *Progress) headline() string {
	text := fmt.Sprintf("epoch %d/%d", p.epoch, p.epochs)
	here := p.done - p.skipped
	if here == 0 {
		return text
	}
	text += fmt.Sprintf("  loss %.4f", p.lossSum/float64(here))
	if elapsed := p.now().Sub(p.start).Seconds(); elapsed > 0 {
		text += fmt.Sprintf("  %.0f images/s", float64(here)/elapsed)
	}
	return text
}
