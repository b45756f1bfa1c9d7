package device

// Capturer is a Stream that can keep work, to run it again at less cost than enqueueing it piece by piece.
type Capturer interface {
	Stream
	// Capture makes the stream keep the work that is enqueued from now on, instead of running it, until Captured. An error
	// means that the device cannot do that. In between, none of Record, Wait and Close may be called.
	Capture() error
	// Captured returns what was kept. An error means that some of it cannot be run again; then none of it has run, or will.
	Captured() (Work, error)
	// NotKept tells the backend, which counts it, why work was not kept that should have been: the error of Capture or
	// Captured, or of what has failed between them.
	NotKept(why error)
}

// Work is what a Capturer has kept. It may be enqueued on any stream of the device, on one at a time, as long as all memory
// that it uses exists.
type Work interface {
	// Enqueue enqueues the work on s.
	Enqueue(s Stream) error
}
