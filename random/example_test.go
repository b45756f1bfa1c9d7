package random_test

import (
	"fmt"
	"log"
	"os"
	"regexp"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/dtype"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/random"
)

// A generator that was saved goes on where it stood, in another process too.
func Example_checkpoint() {
	env := nd.DefaultEnv().WithSeed(7)
	random.Uniform(env, dtype.Float32, 0, 1, 1000)

	saved, err := env.Generator().MarshalText()
	if err != nil {
		log.Fatal(err)
	}
	expected := random.Uniform(env, dtype.Float32, 0, 1, 3)

	later := nd.DefaultEnv().WithSeed(0)
	if err := later.Generator().UnmarshalText(saved); err != nil {
		log.Fatal(err)
	}
	fmt.Println(expected)
	fmt.Println(random.Uniform(later, dtype.Float32, 0, 1, 3))
	// Output:
	// [0.58735394 0.46045303 0.15420628]
	// [0.58735394 0.46045303 0.15420628]
}

// Goroutines that have generators of their own draw the same numbers in every run.
func Example_goroutines() {
	env := nd.DefaultEnv().WithSeed(7)
	results := make([]*nd.Array, 3)
	var all sync.WaitGroup
	for i, g := range env.Generator().SplitN(len(results)) {
		all.Go(func() { results[i] = random.Uniform(env.WithGenerator(g), dtype.Float32, 0, 1, 2) })
	}
	all.Wait()
	for _, x := range results {
		fmt.Println(x)
	}
	// Output:
	// [0.07541221 0.74167764]
	// [0.65858674 0.65250117]
	// [0.04931569 0.2035647 ]
}

func TestDocumentationQuotesTheExamples(t *testing.T) {
	read := func(path string) string {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		return regexp.MustCompile(`(?m)^[ \t]+`).ReplaceAllString(string(text), "")
	}
	sources := read("example_test.go") + read("numpy/example_test.go")
	quotes := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(read("../docs/random.md"), -1)
	require.NotEmpty(t, quotes)
	for _, quote := range quotes {
		require.Contains(t, sources, quote[1])
	}
}
