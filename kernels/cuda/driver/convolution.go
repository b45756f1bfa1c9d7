package driver

// DNNVariable set to 0 leaves convolutions on GPUs to weft's own kernels; those that cuDNN takes are computed by it,
// where it is found, if it is not set.
const DNNVariable = "WEFT_CUDNN"

// DNN computes convolutions of row-major arrays on one stream, by cuDNN.
type DNN interface {
	// Choose returns the fastest algorithm, by the estimate of cuDNN, whose results are the same in every run, and whose
	// errors are those of sums of products, and which takes at most 1 GiB of temporary memory. If there is none, or cuDNN
	// does not take c, the error wraps errors.ErrUnsupported.
	Choose(c *Convolution) (Algorithm, error)
	// Convolve enqueues c by an algorithm that Choose has returned for it, on a device of the same model. If cuDNN does not take it after
	// all the error wraps errors.ErrUnsupported.
	Convolve(c *Convolution, a Algorithm, at *Convolved) error
	// Close gives the handle back.
	Close() error
}

// Direction is which of its three arrays a convolution computes from the others.
type Direction uint8

// The directions.
const (
	ToResult  Direction = iota // the convolution itself
	ToData                     // the gradient with respect to data, of that of the result
	ToWeights                  // the gradient with respect to weights
)

// Convolution is a convolution of Data, (images, channels, spatial axes), by Weights, (filters, channels of a group, spatial axes), that
// gives Result, (images, filters, spatial axes). Of three spatial axes, those that are not there come first and have one element.
type Convolution struct {
	Direction                         Direction
	Precision                         Precision
	Axes                              int // spatial axes that cuDNN is told of, the last 2 or 3
	Images, Groups, Channels, Filters int // those of all groups
	Data, Weights, Result             [3]int
	Stride, Dilation, Padding         [3]int // as much padding behind as before
}

// Algorithm is how cuDNN computes a convolution.
type Algorithm struct {
	Number    int32 // as cuDNN numbers those of a direction
	Math      int32 // a cudnnMathType_t
	Workspace int   // bytes of temporary memory
}

// Convolved are the arrays of a convolution, which its direction tells what to do with, and its temporary memory.
type Convolved struct {
	Data, Weights, Result, Workspace Address
	Add                              bool // to what is there
}
