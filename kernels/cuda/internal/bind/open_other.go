//go:build !linux || !(amd64 || arm64)

package bind

import (
	"fmt"
	"runtime"

	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/kernels/cuda/driver"
)

// Open returns an error: CUDA is bound on linux alone.
func Open() (driver.Driver, []driver.Library, error) {
	return nil, nil, fmt.Errorf("%w: weft uses CUDA on linux/amd64 and linux/arm64, not on %s/%s", fault.ErrDevice, runtime.GOOS, runtime.GOARCH)
}
