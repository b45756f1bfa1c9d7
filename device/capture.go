package device

// Capturer is a Stream that can keep work, to run it again at less cost than to enqueue it piece by piece.
type Capturer interface {
	Stream
	// Capture makes the stream keep the work that is enqueued from now on, in place of running it, until Captured. An error tells
	// that the device cannot do that. Meanwhile neither Record nor Wait nor Close is called.
	Capture() error
	// Captured returns what was kept. An error tells that some of it cannot be run again; nothing of it has run or will.
	Captured() (Work, error)
	// NotKept tells why work was not kept that should have been: what Capture or Captured has returned, or what has failed between them. The
	// backend counts it.
	NotKept(why error)
}

// Work is what a Capturer has kept. It may be enqueued on any stream of the device, on one at a time, for as long as all memory that it
// uses is there.
type Work interface {
	// Enqueue enqueues the work on s.
	Enqueue(s Stream) error
}
