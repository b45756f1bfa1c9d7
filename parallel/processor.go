package parallel

// knowsProcessor tells whether goroutines can find out cheaply which processor they run on.
var knowsProcessor = readsProcessor()

// placeOf returns the slot that a goroutine prefers: the number of its processor where that is known, otherwise its place. A
// processor that has the same slot in all regions finds its operands in its cache, while goroutines move between processors all
// the time.
func placeOf(place int) int {
	if knowsProcessor {
		return readProcessor()
	}
	return place
}
