package profile

import (
	"cmp"
	"strconv"
	"strings"
	"time"
)

// tracks gives every lane as many tracks as it does things at the same time, so that none overlap on a track.
type tracks struct {
	lanes map[string][]*track
	all   []*track
}

type track struct {
	lane   string
	number int // among those of its lane, from 1
	index  int // among all
	end    time.Duration
}

// place returns the track of what a lane did from start to end, and whether it is a new one. If calls are in order of start,
// there are no more tracks than needed.
func (t *tracks) place(lane string, start, end time.Duration) (place *track, fresh bool) {
	for _, place := range t.lanes[lane] {
		if place.end <= start {
			place.end = end
			return place, false
		}
	}
	place = &track{lane, len(t.lanes[lane]) + 1, len(t.all), end}
	if t.lanes == nil {
		t.lanes = make(map[string][]*track)
	}
	t.lanes[lane] = append(t.lanes[lane], place)
	t.all = append(t.all, place)
	return place, true
}

// name returns the lane, with a number if it is not the first track of the lane.
func (t *track) name() string {
	if t.number == 1 {
		return t.lane
	}
	return t.lane + " (" + strconv.Itoa(t.number) + ")"
}

// rank is where a track stands among others, from above: workers by number, host functions, devices, callers.
func (t *track) rank() int {
	const group = 1 << 20
	kind, number, _ := strings.Cut(t.lane, " ")
	n, _ := strconv.Atoi(number)
	n = min(max(n, 0), group-1)
	switch kind {
	case "worker":
		return n
	case "host":
		return group + n
	case "caller":
		return 3*group + n
	}
	return 2 * group
}

func compareTracks(a, b *track) int {
	return cmp.Or(cmp.Compare(a.rank(), b.rank()), cmp.Compare(a.lane, b.lane), cmp.Compare(a.number, b.number))
}
