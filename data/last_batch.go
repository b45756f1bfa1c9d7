package data

// LastBatch is what becomes of the samples at the end of an iteration that do not fill a batch (last_batch in MXNet).
type LastBatch int

const (
	// Keep makes a smaller batch of them.
	Keep LastBatch = iota
	// Discard leaves them out.
	Discard
	// Pad fills the batch with samples from the beginning of the iteration, and counts these in Batch.Padding.
	Pad
	// RollOver puts them before the samples of the next iteration.
	RollOver
)

// Last sets what becomes of samples at the end that do not fill a batch; they are kept by default.
func Last(last LastBatch) LoaderOption {
	checkOption("data.Last", last < Keep || last > RollOver, "no such way with the last batch (legal: Keep, Discard, Pad, RollOver)")
	return func(l *Loader) { l.last = last }
}

// DropLast is Last(Discard).
func DropLast() LoaderOption { return Last(Discard) }

// count returns the number of batches of so many samples.
func (b LastBatch) count(samples, size int) int {
	full := samples / size
	if b == Discard || b == RollOver || samples%size == 0 {
		return full
	}
	return full + 1
}

// cut returns the samples of batch n, and how many of them are padding.
func (b LastBatch) cut(order []int, n, size int) (samples []int, padding int) {
	lo := n * size
	hi := lo + min(size, len(order)-lo)
	samples = order[lo:hi:hi]
	if b == Pad {
		for ; len(samples) < size; padding++ {
			samples = append(samples, order[padding%len(order)])
		}
	}
	return samples, padding
}
