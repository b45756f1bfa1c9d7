package profile_test

import (
	"fmt"
	"time"

	"github.com/weft-nd/weft/profile"
)

// An engine tells a Log of its operations: engine.Engine.Observe.
func ExampleLog() {
	log := profile.New(1000)
	for i := range 3 {
		start := time.Duration(i) * time.Millisecond
		log.Observe(&profile.Record{Number: uint64(i + 1), Name: "step", Lane: "worker 0", Start: start, End: start + time.Microsecond})
	}
	for _, row := range log.Summary() {
		fmt.Println(row.Name, row.Count, row.Total)
	}
	// Output: step 3 3µs
}
