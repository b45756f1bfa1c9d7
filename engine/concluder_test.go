package engine

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// device of events that tell how they are asked.
type timeline struct {
	complete int // events, the first so many
	asked    int
	waited   []int // events that were not complete
}

type timelineEvent struct {
	*timeline
	number int
}

func (e timelineEvent) Wait() error {
	if e.number >= e.complete {
		e.waited = append(e.waited, e.number)
		e.complete = e.number + 1
	}
	return nil
}

func (e timelineEvent) Done() bool {
	e.asked++
	return e.number < e.complete
}

func (t *timeline) backlog(count int) (all []launch) {
	for i := range count {
		all = append(all, launch{event: timelineEvent{t, i}})
	}
	return all
}

// conclude empties the backlog, of events that become complete so many at a time.
func (d *concluder) conclude(t *timeline, pace int) {
	for len(d.backlog) > 0 {
		n := d.reached()
		for i := range d.backlog[:n] {
			d.backlog[i].await()
		}
		d.backlog = d.backlog[n:]
		t.complete += pace
	}
}

func TestALongBacklogIsConcludedWithFewQuestions(t *testing.T) {
	done := &timeline{complete: 1000}
	d := concluder{backlog: done.backlog(1000)}
	d.conclude(done, 0)
	require.LessOrEqual(t, done.asked, 12)

	steady := &timeline{}
	d = concluder{backlog: steady.backlog(1000)}
	d.conclude(steady, 16)
	require.LessOrEqual(t, steady.asked, 1000/4)
}

func TestTheConcluderBlocksForTheFirstAlone(t *testing.T) {
	for _, streak := range []int{0, 1, 100} {
		for complete := range 20 {
			device := &timeline{complete: complete}
			d := concluder{backlog: device.backlog(20), streak: streak}
			finished := 0
			for finished < complete {
				n := d.reached()
				require.LessOrEqual(t, finished+n, complete, "what is told is done")
				finished, d.backlog = finished+n, d.backlog[n:]
			}
			require.Equal(t, 1, d.reached())
		}
	}
}
