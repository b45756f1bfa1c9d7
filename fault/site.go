package fault

import (
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// depth is how many frames of the stack a Site remembers: deep enough to leave the layers of weft behind.
const depth = 24

// Site is a place in the user's program, kept as program counters and resolved only when an error is printed. Equal call
// paths share one Site. A nil *Site is an unknown place.
type Site struct {
	counters [depth]uintptr
	gradient *gradient // nil for most
}

// sites interns call paths, so that equal ones share a Site.
var sites sync.Map // [depth]uintptr → *Site

// Here returns the Site of its caller, leaving out skip further frames. A call path met before costs tens of nanoseconds
// and no allocation on amd64 and arm64.
//
//go:noinline
func Here(skip int) *Site {
	// The race detector sees no assembly: to it, the load is what orders what the entry leads to before its use.
	if e, key := recall(skip); e != nil && latest[key].Load() == e && e.site != nil {
		return e.site
	}
	way := trail{skip: skip}
	if hash, whole := follow(&way.counters); whole {
		site, met := recent.find(hash, &way)
		if !met {
			site = recent.learn(hash, &way)
		}
		if site != nil {
			return site
		}
	}
	var counters [depth]uintptr
	return intern(counters[:runtime.Callers(skip+2, counters[:])])
}

func intern(counters []uintptr) *Site {
	var key [depth]uintptr
	copy(key[:], counters)
	if site, found := sites.Load(key); found {
		return site.(*Site)
	}
	site, _ := sites.LoadOrStore(key, &Site{counters: key})
	return site.(*Site)
}

// Frame returns the user's frame: the first one outside weft's library packages. Test files count as the user's.
func (s *Site) Frame() (frame runtime.Frame, found bool) {
	frame, _, found = s.frames()
	return frame, found
}

// frames returns the user's frame, and the one that it called, of a function of the library; that is zero if there is none.
func (s *Site) frames() (user, called runtime.Frame, found bool) {
	if s == nil {
		return user, called, false
	}
	used := 0
	for used < depth && s.counters[used] != 0 {
		used++
	}
	frames := runtime.CallersFrames(s.counters[:used])
	for {
		frame, more := frames.Next()
		if frame.PC != 0 && !isLibrary(frame) {
			return frame, called, true
		}
		if !more {
			return user, called, false
		}
		called = frame
	}
}

// String returns the user's line, such as "main.go:12"; empty if it is unknown.
func (s *Site) String() string {
	frame, found := s.Frame()
	if !found {
		return ""
	}
	return fmt.Sprintf("%s:%d", filepath.Base(frame.File), frame.Line)
}

// MarshalText implements encoding.TextMarshaler: it gives what String does.
func (s *Site) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// folder is where the files of the module are, as the compiler names them. It tells whose a frame is even of a function that was compiled
// as a part of a user's, which has a name of the user's package then.
var folder = sync.OnceValue(func() string {
	_, own, _, _ := runtime.Caller(0)
	return strings.TrimSuffix(own, "fault/site.go")
})

// programs are the folders of the module whose packages are users of the library.
var programs = []string{"examples/", "bench/", "cmd/"}

// between are the packages that may stand between the user and a method of weft: printing an array goes through fmt.
var between = []string{"runtime.", "iter.", "sync.", "fmt."}

func isLibrary(frame runtime.Frame) bool {
	if strings.HasSuffix(frame.File, "_test.go") {
		return false
	}
	path, inModule := strings.CutPrefix(frame.File, folder())
	if !inModule {
		return slices.ContainsFunc(between, func(prefix string) bool { return strings.HasPrefix(frame.Function, prefix) })
	}
	for _, program := range programs {
		if strings.HasPrefix(path, program) {
			return false
		}
	}
	return true
}
