package nn

import (
	"fmt"
	"slices"

	"github.com/weft-nd/weft/fault"
)

// WindowOption says how the windows of a convolution or a pooling layer move, or that a convolution is [Unbiased].
type WindowOption interface{ ofWindows(w *windows) }

// windowOption is a WindowOption of windows alone.
type windowOption func(w *windows)

func (o windowOption) ofWindows(w *windows) { o(w) }

// windows are what WindowOptions say.
type windows struct {
	stride, padding, dilation []int
	groups                    int
	outputPadding             []int
	unbiased                  bool
}

func windowsOf(name string, options []WindowOption) (w windows) {
	for _, option := range options {
		if option == nil {
			mistake(name, fault.ErrMisuse, "an option is nil")
		}
		option.ofWindows(&w)
	}
	return w
}

// Stride is by how many elements filters and windows move, one number for all spatial axes or one for each. Without it filters
// move by one, and pooling windows lie beside one another.
func Stride(steps ...int) WindowOption {
	steps = slices.Clone(steps)
	return windowOption(func(w *windows) { w.stride = steps })
}

// Padding is how many elements are around an image, zeros for filters: one number for all spatial axes, one for each, or those
// before all axes and then those behind. Of a transposed convolution it is what the result lacks there. Without it there are none.
func Padding(elements ...int) WindowOption {
	elements = slices.Clone(elements)
	return windowOption(func(w *windows) { w.padding = elements })
}

// Dilation is how far the elements of a filter or window are apart, one number for all spatial axes or one for each. Without it
// they are adjacent.
func Dilation(distances ...int) WindowOption {
	distances = slices.Clone(distances)
	return windowOption(func(w *windows) { w.dilation = distances })
}

// Groups cuts channels and filters into that many groups, each a convolution of its own. Pooling layers have none.
func Groups(groups int) WindowOption {
	return windowOption(func(w *windows) { w.groups = groups })
}

// OutputPadding is how many elements more the result of a transposed convolution has behind each spatial axis; other layers have
// none.
func OutputPadding(elements ...int) WindowOption {
	elements = slices.Clone(elements)
	return windowOption(func(w *windows) { w.outputPadding = elements })
}

// mustNotHave panics, in the constructor of the given name, if an option was given that the layer does not have.
func mustNotHave(name string, given bool, option string) {
	if given {
		mistake(name, fault.ErrParameter, fmt.Sprintf("the layer has no %s", option))
	}
}
