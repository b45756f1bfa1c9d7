package parallel

// knowsProcessor tells whether goroutines can find out cheaply which processor they run on.
var knowsProcessor = readsProcessor()

// placeOf returns the slot for a goroutine of the given place: the number of its processor where that is known. A processor that has the
// same slot in all regions meets again what it has in its cache, while goroutines go from processor to processor all the time.
func placeOf(place int) int {
	if knowsProcessor {
		return readProcessor()
	}
	return place
}
