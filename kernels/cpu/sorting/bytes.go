package sorting

// sortByBytes sorts l by the bytes of the keys, from the lowest, each time keeping the order of keys whose byte is equal.
// Bytes that all keys have in common are passed over.
func (l list[K]) sortByBytes() {
	width := 4
	if isWide[K]() {
		width = 8
	}
	var counts [8][256]int
	for _, key := range l.keys {
		for i := range width {
			counts[i][uint8(key>>(8*i))]++
		}
	}
	from, to := l.keys, l.other
	if len(to) < len(from) {
		to = make([]K, len(from))
	}
	to = to[:len(from)]
	for i := range width {
		shift, turn := 8*i, uint8(0)
		if i == width-1 {
			turn = 0x80 // the sign: negative keys come first
		}
		if counts[i][uint8(from[0]>>shift)] == len(from) {
			continue
		}
		var next [256]int
		for value, at := 0, 0; value < 256; value++ {
			next[uint8(value)^turn] = at
			at += counts[i][uint8(value)^turn]
		}
		for _, key := range from {
			place := &next[uint8(key>>shift)]
			to[*place] = key
			*place++
		}
		from, to = to, from
	}
	if &from[0] != &l.keys[0] {
		copy(l.keys, from)
	}
}

// portablePartition does what partition does.
func portablePartition[K Key](keys []K, pivot K) (low int) {
	for i, key := range keys {
		keys[i], keys[low] = keys[low], key
		if key <= pivot {
			low++
		}
	}
	return low
}
