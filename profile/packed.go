package profile

// words is a list of accesses, each packed into one word, or into three if it has a range: of most records these are most
// of the memory. A word holds the variable, whether a range follows, and the mode.
type words []uint64

const (
	modeBits = 2
	modeMask = 1<<modeBits - 1
	ranged   = 1 << modeBits
	shift    = modeBits + 1
)

// pack appends accesses. Numbers of variables are below 1<<61.
func (w words) pack(accesses []Access) words {
	for i := range accesses {
		a := &accesses[i]
		word := a.Variable<<shift | uint64(a.Mode)
		if a.Lo == 0 && a.Hi == 0 {
			w = append(w, word)
		} else {
			w = append(w, word|ranged, uint64(a.Lo), uint64(a.Hi))
		}
	}
	return w
}

// unpack appends the accesses to to.
func (w words) unpack(to []Access) []Access {
	for len(w) > 0 {
		a := Access{Variable: w[0] >> shift, Mode: Mode(w[0] & modeMask)}
		if w[0]&ranged == 0 {
			w = w[1:]
		} else {
			a.Lo, a.Hi = int64(w[1]), int64(w[2])
			w = w[3:]
		}
		to = append(to, a)
	}
	return to
}
