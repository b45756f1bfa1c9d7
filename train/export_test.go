package train

import "time"

// Clocked makes callbacks that tell of rates read the time from now.
func Clocked(now func() time.Time, l *Log, p Callback) {
	l.now, p.(*progress).now = now, now
}
