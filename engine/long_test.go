package engine_test

import (
	"flag"
	"testing"

	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/engine/enginetest"
)

var long = flag.Bool("long", false, "run the long form of the engines' suite, which takes minutes")

func TestLong(t *testing.T) {
	if !*long {
		t.Skip("the long form runs with -args -long: make long")
	}
	for name, create := range map[string]func(...engine.Option) engine.Engine{
		"naive": engine.NewNaive, "pooled": engine.NewPooled, "perdevice": engine.NewPerDevice, "shuffled": newShuffled(1),
	} {
		t.Run(name, func(t *testing.T) { enginetest.RunLong(t, create) })
	}
}
