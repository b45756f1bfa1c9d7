package storage

// allocateLast is the last attempt when there was no memory: it takes back what all fronts keep, which are frozen meanwhile.
func (m *bestFit) allocateLast(size, bytes int) (memory Memory, err error) {
	m.fronts.freeze(func() {
		m.drain()
		own := &m.fronts.all[0]
		var c *chunk
		if c, err = m.refill(own, size, bytes); err == nil {
			own.handedOut(c)
			memory = c.handOut(bytes)
		}
	})
	return memory, err
}

// drain takes back what the fronts keep, which are frozen.
func (m *bestFit) drain() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := range m.fronts.all {
		m.empty(&m.fronts.all[i], m.trimmer.now())
	}
}

// refill takes a chunk of size for own, whose list of that class is empty.
func (m *bestFit) refill(own *front, size, bytes int) (*chunk, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c, fresh, err := m.take(own, size, bytes)
	if err != nil {
		return nil, err
	}
	if fresh == 0 {
		own.reused++
	}
	return c, nil
}

// take returns a chunk from the regions. If the limit does not allow that, or the system, what is kept goes back first.
func (m *bestFit) take(own *front, size, bytes int) (*chunk, int, error) {
	if !m.allows(size) {
		if m.recall(own); !m.allows(size) {
			return nil, 0, overLimit(m.device, bytes, m.out, m.limit)
		}
	}
	if !m.warm(size) {
		// New memory would be used: first comes what the other fronts keep.
		if c := m.steal(own, classOf(size)); c != nil {
			return c, 0, nil
		}
		if size >= largeChunk/4 {
			m.recall(own)
		}
	}
	spare := size
	if m.limit > 0 {
		spare = int(min(int64(size), m.limit-m.out-int64(size)))
	}
	c, fresh, err := m.regions.take(size, spare)
	if err != nil {
		m.recall(own)
		m.trim(0)
		if c, fresh, err = m.regions.take(size, spare); err != nil {
			return nil, 0, err
		}
	}
	m.out += int64(c.bytes)
	m.peak, m.high[0] = max(m.peak, m.out), max(m.high[0], m.out)
	m.keepLimit()
	if fresh > 0 {
		// New memory is used although some is kept: too much of that may lie in pieces that do not fit.
		m.regions.trim(m.trimmer.now(), m.keeps())
	}
	return c, fresh, nil
}

// allows reports whether the limit leaves room for size more bytes if nothing is kept but in fronts.
func (m *bestFit) allows(size int) bool { return m.limit <= 0 || int64(size) <= m.limit-m.out }

// warm reports whether the piece that serves size has memory behind it.
func (m *bestFit) warm(size int) bool {
	c := m.regions.free.fit(size)
	if c == nil {
		return false
	}
	first, last := c.ends(size)
	return max(first, last) == size
}

// keepLimit gives back what is kept in the regions beyond the limit.
func (m *bestFit) keepLimit() {
	if m.limit > 0 {
		m.regions.trim(m.trimmer.now(), max(0, m.limit-m.out))
	}
	m.tight.Store(m.limit > 0 && m.out > m.limit)
}

// Kept memory that fits no request is useless. Once the process has more memory than it lately used at any one time, by 16 MiB
// or an eighth, the surplus goes back as soon as more is needed. What was in use lately will be needed again: a training step
// begins with little, and needs all of it at its end.
const (
	keptAlways = 16 << 20
	keptPart   = 8
)

// keeps returns how many bytes are kept although an allocation found nothing among them.
func (m *bestFit) keeps() int64 {
	high := max(m.high[0], m.high[1])
	return high - m.out + max(keptAlways, high/keptPart)
}

// recall takes back what the fronts keep. The caller has locked own, and m.mu.
func (m *bestFit) recall(own *front) {
	m.empty(own, m.trimmer.now())
	for i := range m.fronts.all {
		// The order is front, then manager: so others are tried only. Whoever holds one is about to come here for memory, or frees.
		if other := &m.fronts.all[i]; other != own && other.mu.TryLock() {
			m.empty(other, m.trimmer.now())
			other.mu.Unlock()
		}
	}
}

// steal returns a chunk of class that another front keeps, nil if none is at hand.
func (m *bestFit) steal(own *front, class int) *chunk {
	for i := range m.fronts.all {
		if other := &m.fronts.all[i]; other != own && other.mu.TryLock() {
			c := other.pop(class)
			other.mu.Unlock()
			if c != nil {
				return c
			}
		}
	}
	return nil
}
