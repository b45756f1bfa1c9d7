package engine_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/profile"
)

// The reader runs after the writer, since both declare v; who pushed them does not wait until Wait.
func ExampleEngine() {
	ctx := context.Background()
	e := engine.NewPerDevice()
	defer e.Close(ctx)

	v := e.NewVar()
	total := 0
	e.Push(&engine.Operation{
		Name:     "fill",
		Accesses: []engine.Access{{Var: v, Mode: engine.Write}},
		Function: engine.FunctionOf(func(*engine.RunContext) error { total = 20; return nil }),
	})
	e.Push(&engine.Operation{
		Name:     "add",
		Accesses: []engine.Access{{Var: v, Mode: engine.Update}},
		Function: engine.FunctionOf(func(*engine.RunContext) error { total += 22; return nil }),
	})
	if err := e.Wait(ctx, v); err != nil {
		log.Fatal(err)
	}
	fmt.Println(total, "after", v.Version(), "writes")
	// Output: 42 after 2 writes
}

// An error sticks to what the operation writes, and to what is computed from that, until something writes it anew.
func ExampleEngine_Wait() {
	ctx := context.Background()
	e := engine.NewPerDevice()
	defer e.Close(ctx)

	x, y := e.NewVar(), e.NewVar()
	load := engine.Operation{Name: "load", Accesses: []engine.Access{{Var: x, Mode: engine.Write}}}
	load.Function = engine.FunctionOf(func(*engine.RunContext) error { return errors.New("no such file") })
	e.Push(&load)
	double := &engine.Operation{Name: "double", Accesses: []engine.Access{{Var: x}, {Var: y, Mode: engine.Write}}}
	double.Function = engine.FunctionOf(func(*engine.RunContext) error { return nil })
	e.Push(double)

	for range 2 { // Asking twice answers twice.
		var failure *engine.Error
		errors.As(e.Wait(ctx, y), &failure)
		fmt.Printf("%s was not run: %s: %v\n", failure.Operator, failure.Root.Operator, failure.Root.Cause)
	}

	again := load
	again.Function = engine.FunctionOf(func(*engine.RunContext) error { return nil })
	e.Push(&again)
	e.Push(double)
	fmt.Println(e.Wait(ctx, x), e.Wait(ctx, y))
	// Output:
	// double was not run: load: no such file
	// double was not run: load: no such file
	// <nil> <nil>
}

// A context cancels what has not started.
func ExampleOperation_context() {
	e := engine.NewPerDevice()
	defer e.Close(context.Background())
	if err := e.Stop(context.Background()); err != nil { // Nothing starts until Start.
		log.Fatal(err)
	}
	scope, cancel := context.WithCancelCause(context.Background())
	v := e.NewVar()
	e.Push(&engine.Operation{
		Name: "search", Context: scope,
		Accesses: []engine.Access{{Var: v, Mode: engine.Write}},
		Function: engine.FunctionOf(func(*engine.RunContext) error { panic("this does not run") }),
	})
	found := errors.New("found elsewhere")
	cancel(found)
	e.Start()
	fmt.Println(errors.Is(e.Wait(context.Background(), v), found))
	// Output: true
}

// What is pushed again and again is checked once.
func ExampleEngine_NewOperator() {
	ctx := context.Background()
	e := engine.NewPerDevice()
	defer e.Close(ctx)

	v := e.NewVar()
	steps := 0
	step := e.NewOperator(engine.Operation{
		Name:     "step",
		Accesses: []engine.Access{{Var: v, Mode: engine.Update}},
		Function: engine.FunctionOf(func(*engine.RunContext) error { steps++; return nil }),
	})
	for range 1000 {
		e.Push(step)
	}
	fmt.Println(e.Wait(ctx, v), steps)
	e.DeleteOperator(step)
	// Output: <nil> 1000
}

// Brief operations cost less together: these two hundred are run as tasks of 50.
func ExampleEngine_Bulk() {
	ctx := context.Background()
	e := engine.NewPerDevice()
	defer e.Close(ctx)

	v := e.NewVar()
	steps := 0
	step := e.NewOperator(engine.Operation{
		Name:     "step",
		Accesses: []engine.Access{{Var: v, Mode: engine.Update}},
		Function: engine.FunctionOf(func(*engine.RunContext) error { steps++; return nil }),
	})
	e.Bulk(50, func(p engine.Pusher) {
		for range 200 {
			p.Push(step)
		}
	})
	fmt.Println(e.Wait(ctx, v), steps)
	// Output: <nil> 200
}

// Who pushes faster than the workers run is held back, or made to help.
func ExampleWithLimit() {
	e := engine.NewPerDevice(engine.WithLimit(8))
	defer e.Close(context.Background())

	most := uint64(0)
	v := e.NewVar()
	for range 10000 {
		e.Push(&engine.Operation{
			Name:     "step",
			Accesses: []engine.Access{{Var: v, Mode: engine.Update}},
			Function: engine.FunctionOf(func(*engine.RunContext) error { return nil }),
		})
		s := e.Stats()
		most = max(most, s.Pushed-s.Done)
	}
	fmt.Println("never more than 8 pending:", most <= 8)
	// Output: never more than 8 pending: true
}

// Dump tells what is pending and why.
func ExampleEngine_Dump() {
	ctx := context.Background()
	e := engine.NewPerDevice()
	defer e.Close(ctx)
	if err := e.Stop(ctx); err != nil { // So that there is something to see.
		log.Fatal(err)
	}
	x, y := e.NewVar(), e.NewVar()
	nothing := engine.FunctionOf(func(*engine.RunContext) error { return nil })
	e.Push(&engine.Operation{Name: "load", Function: nothing, Accesses: []engine.Access{{Var: x, Mode: engine.Write}}})
	e.Push(&engine.Operation{Name: "double", Function: nothing, Accesses: []engine.Access{{Var: x}, {Var: y, Mode: engine.Write}}})

	var page bytes.Buffer
	if err := e.Dump(&page); err != nil {
		log.Fatal(err)
	}
	fmt.Print(withoutLines(page.String()))
	e.Start()
	// Output:
	// engine perdevice: 2 operations pending: 1 held, 1 waiting
	// 0 done so far, of which 0 failed and 0 were skipped
	// stopped: what is ready waits for Start
	//
	// operations:
	//   #1 load    held until Start    writes v1            cpu(0) at example_test.go
	//   #2 double  after #1 load (v1)  reads v1; writes v2  cpu(0) at example_test.go
	//
	// variables:
	//   v1: held by #1 load; 1 behind: #2 double
	//
	// critical path, 2 long:
	//   #1 load -> #2 double
}

// DOT draws the same; dot -Tsvg makes a picture of it.
func ExampleSnapshot_WriteDOT() {
	ctx := context.Background()
	e := engine.NewPerDevice()
	defer e.Close(ctx)
	if err := e.Stop(ctx); err != nil {
		log.Fatal(err)
	}
	x, y := e.NewVar(), e.NewVar()
	nothing := engine.FunctionOf(func(*engine.RunContext) error { return nil })
	e.Push(&engine.Operation{Name: "load", Function: nothing, Accesses: []engine.Access{{Var: x, Mode: engine.Write}}})
	e.Push(&engine.Operation{Name: "double", Function: nothing, Accesses: []engine.Access{{Var: x}, {Var: y, Mode: engine.Write}}})

	var graph strings.Builder
	if err := e.Snapshot().WriteDOT(&graph); err != nil {
		log.Fatal(err)
	}
	fmt.Print(withoutLines(graph.String()))
	e.Start()
	// Output:
	// digraph weft {
	// 	rankdir=LR;
	// 	node [shape=box];
	// 	subgraph cluster_0 {
	// 		label="cpu(0)";
	// 		n1 [label="#1 load\nheld\nexample_test.go", style="bold"];
	// 		n2 [label="#2 double\nwaiting\nexample_test.go", style="bold"];
	// 	}
	// 	n1 -> n2 [label="v1", style=bold];
	// }
}

var line = regexp.MustCompile(`(\.go):\d+`)

// withoutLines leaves the numbers of lines out of text.
func withoutLines(text string) string { return line.ReplaceAllString(text, "$1") }

// copying is a Function that tells observers how many bytes it reads and writes.
type copying struct{ to, from []byte }

func (c copying) Run(*engine.RunContext) error {
	copy(c.to, c.from)
	return nil
}

// Cost implements engine.Meter.
func (c copying) Cost() (bytes, operations int64) { return int64(len(c.to) + len(c.from)), 0 }

// A log is told of every operation. Its table, timeline and trace have times as well.
func ExampleEngine_Observe() {
	ctx := context.Background()
	e := engine.NewPerDevice()
	defer e.Close(ctx)
	recorded := profile.New(1000)
	stop := e.Observe(recorded)

	v := e.NewVar()
	for range 3 {
		e.Push(&engine.Operation{
			Name:     "copy",
			Accesses: []engine.Access{{Var: v, Mode: engine.Write}},
			Function: copying{make([]byte, 1000), make([]byte, 1000)},
		})
	}
	if err := e.WaitAll(ctx); err != nil {
		log.Fatal(err)
	}
	stop()
	for _, row := range recorded.Summary() {
		fmt.Printf("%s: %d runs, %d failed, %d bytes\n", row.Name, row.Count, row.Failed, row.Bytes)
	}
	// Output: copy: 3 runs, 0 failed, 6000 bytes
}

// Two operations touch total, and neither says so: what comes out depends on the order in which they run.
func ExampleNewShuffled() {
	results := map[int]bool{}
	for seed := range uint64(100) {
		e := engine.NewShuffled(seed)
		total := 1
		e.Push(&engine.Operation{
			Name:     "double",
			Accesses: []engine.Access{{Var: e.NewVar(), Mode: engine.Write}},
			Function: engine.FunctionOf(func(*engine.RunContext) error { total *= 2; return nil }),
		})
		e.Push(&engine.Operation{
			Name:     "increment",
			Accesses: []engine.Access{{Var: e.NewVar(), Mode: engine.Write}},
			Function: engine.FunctionOf(func(*engine.RunContext) error { total++; return nil }),
		})
		if err := e.Close(context.Background()); err != nil { // Close waits for both.
			log.Fatal(err)
		}
		results[total] = true
	}
	fmt.Println(slices.Sorted(maps.Keys(results)))
	// Output: [3 4]
}

// blocks returns what stands between fences of the given language in a Markdown text, without indentation.
func blocks(markdown, language string) (all []string) {
	block, inside := "", false
	for text := range strings.Lines(markdown) {
		switch text = strings.TrimLeft(text, " \t"); {
		case !inside && text == "```"+language+"\n":
			block, inside = "", true
		case inside && text == "```\n":
			all, inside = append(all, block), false
		case inside:
			block += text
		}
	}
	return all
}

func TestDocumentationQuotesTheExamples(t *testing.T) {
	document, err := os.ReadFile("../docs/engine.md")
	require.NoError(t, err)
	source, err := os.ReadFile("example_test.go")
	require.NoError(t, err)
	flat := regexp.MustCompile(`(?m)^[ \t]+`).ReplaceAllString(string(source), "")
	outputs := regexp.MustCompile(`(?m)^//(?: (?:Output: ?)?|$)[ \t]*`).ReplaceAllString(flat, "")
	for language, text := range map[string]string{"go": flat, "text": outputs} {
		quotes := blocks(string(document), language)
		require.NotEmpty(t, quotes, language)
		for _, quote := range quotes {
			require.Contains(t, text, quote)
		}
	}
}
