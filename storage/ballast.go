package storage

import (
	"fmt"
	"math"
	"os"
	"runtime/debug"
	"strconv"
	"sync"

	"github.com/weft-nd/weft/fault"
)

// ballastVariable sets by how many bytes, at GOGC=100, the heap may grow before Go's collector runs, beyond what it may without weft;
// 0 leaves the collector alone; 16 MiB if it is not set, or 0 under a GOMEMLIMIT. See storage.LoadBallast.
const ballastVariable = "WEFT_BALLAST"

// The ballast is so many bytes, and at most one part in so many of what the machine, or the control group of the process, has.
const (
	defaultBallast = 16 << 20
	ballastParts   = 64
)

// ballast is memory of Go's heap that nobody touches: no pages are behind it, and the collector has nothing to scan there.
var ballast []byte

// LoadBallast makes the ballast of the process, the first time it is called. Go's collector runs when the heap has grown by GOGC
// percent of what it found alive, or to 4 MiB. Where little is alive but small arrays that come and go, that is every nine thousand
// of them, and half of the time that each takes. The ballast is address space that counts as alive: at GOGC=100 the heap grows by as
// many bytes more before the collector runs, and so much more memory may be resident. GOGC itself is not changed.
//
// The heap that runtime.MemStats and heap profiles show is larger by the ballast. A memory limit counts it as used, so there is none
// if one is set by now. It panics with *fault.Error if WEFT_BALLAST is no number of bytes. It may be called from any goroutine.
var LoadBallast = sync.OnceFunc(func() {
	if bytes := ballastBytes(os.Getenv(ballastVariable), debug.SetMemoryLimit(-1), memoryOfHost()); bytes > 0 {
		ballast = make([]byte, bytes)
	}
})

// ballastBytes returns the size of the ballast, by the value of its variable, where the process has such a memory limit, and may use
// so much memory; that is zero if it is not known.
func ballastBytes(setting string, limit, memory int64) int64 {
	if setting != "" {
		bytes, err := strconv.ParseInt(setting, 10, 64)
		if err != nil || bytes < 0 || bytes > math.MaxInt>>1 {
			panic(fault.Variable(ballastVariable, setting, fmt.Sprintf("from 0 to %d bytes", math.MaxInt>>1)))
		}
		return bytes
	}
	switch {
	case limit != math.MaxInt64:
		return 0
	case memory > 0:
		return min(defaultBallast, memory/ballastParts)
	}
	return defaultBallast
}
