package gorgonia

import (
	"errors"
	"fmt"

	"github.com/weft-nd/weft/kernels/cuda/driver"
)

// noDNN is why there is no cuDNN: gorgonia.org/cu/dnn keeps its handles to itself and sets no streams, asks for no sizes of temporary
// memory, and its calls that look for an algorithm panic.
const noDNN = "gorgonia.org/cu/dnn has no streams, no temporary memory and no choice of algorithms"

// noLt is why there is no cuBLASLt.
const noLt = "gorgonia.org/cu is not linked with it"

// NewAffine implements driver.Context.
func (c *context) NewAffine(driver.Stream) (driver.Affine, error) {
	return nil, fmt.Errorf("%s: %w", noLt, errors.ErrUnsupported)
}

// NewDNN implements driver.Context.
func (c *context) NewDNN(driver.Stream) (driver.DNN, error) {
	return nil, fmt.Errorf("%s: %w", noDNN, errors.ErrUnsupported)
}
