package engine

import (
	"fmt"
	"os"

	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/profile"
)

// traceVariable names a file that the engine of the process writes a trace of its operations to, for
// https://ui.perfetto.dev or chrome://tracing; there is none if it is not set.
const traceVariable = "WEFT_TRACE"

// labelsVariable gives the samples of a CPU profile of runtime/pprof the labels operator, device and site if it is 1;
// see engine.LabelProfiles.
const labelsVariable = "WEFT_PPROF_LABELS"

// traceFromEnvironment begins what the environment asks for.
func traceFromEnvironment(e Engine) {
	if os.Getenv(labelsVariable) == "1" {
		LabelProfiles(true)
	}
	path := os.Getenv(traceVariable)
	if path == "" {
		return
	}
	trace, err := profile.OpenTrace(path)
	if err != nil {
		panic(&Error{Operator: traceVariable, Detail: fmt.Sprintf("there is no trace: %v", err), Cause: fault.ErrParameter})
	}
	e.Observe(trace)
}
