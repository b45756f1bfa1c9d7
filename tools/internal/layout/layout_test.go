package layout_test

import (
	"testing"

	"github.com/weft-nd/weft/tools/internal/layout"
)

func TestSubPackagesBelongToTheLongestMatchingLayer(t *testing.T) {
	cases := map[string]struct {
		layer string
		kind  layout.Kind
	}{
		".":                        {layout.Root, layout.Library},
		"dtype":                    {"dtype", layout.Library},
		"kernels/cpu/philox":       {"kernels/cpu", layout.Library},
		"kernels/cpu/internal/gen": {"kernels/cpu", layout.Program},
		"kernels/cpu/internal/gen/gemm": {
			"kernels/cpu", layout.Program},
		"kernels/cuda":               {"kernels/cuda", layout.Library},
		"kernels/cuda/fake":          {"kernels/cuda", layout.Library},
		"kernels/cuda/driver":        {"kernels/cuda/driver", layout.Library},
		"kernels/cuda/driver/nested": {"kernels/cuda/driver", layout.Library},
		"engine/enginetest":          {"engine", layout.Test},
		"examples/mnist":             {"examples", layout.Program},
		"bench":                      {"bench", layout.Program},
	}
	for folder, want := range cases {
		place, known := layout.Of(folder)
		if !known || place.Layer != want.layer || place.Kind != want.kind {
			t.Errorf("Of(%q) = %+v, %v; want layer %q, kind %v", folder, place, known, want.layer, want.kind)
		}
	}
}

func TestFoldersOfNoLayerAreUnknown(t *testing.T) {
	for _, folder := range []string{"kernels", "kernels/tpu", "dtypes", "engines/x", "tools/layers", ""} {
		if place, known := layout.Of(folder); known {
			t.Errorf("Of(%q) = %+v; want unknown", folder, place)
		}
	}
}

func TestHeightsFollowTheOrderWithRootAndProgramsOnTop(t *testing.T) {
	folders := append(append([]string{}, layout.Layers...), layout.Root)
	for i, folder := range folders {
		if place, known := layout.Of(folder); !known || place.Height != i {
			t.Errorf("Of(%q) = %+v, %v; want height %d", folder, place, known, i)
		}
	}
	for _, program := range layout.Programs {
		if place, _ := layout.Of(program); place.Height <= len(layout.Layers) {
			t.Errorf("Of(%q).Height = %d; want above the root's", program, place.Height)
		}
	}
}
