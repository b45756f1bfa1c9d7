package gorgonia

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/kernels/cuda/driver"
	cublas "gorgonia.org/cu/blas"
)

// check returns the error of a call with the number of its CUresult, which gorgonia.org/cu keeps in an integer that is not exported.
func check(call string, err error) error {
	for cause := err; cause != nil; cause = errors.Unwrap(cause) {
		if number := reflect.ValueOf(cause); number.CanInt() {
			return &driver.Error{Call: call, Status: driver.Status(number.Int())}
		}
	}
	if err != nil {
		return fmt.Errorf("%w: %s: %w", fault.ErrDevice, call, err)
	}
	return nil
}

// checkBLAS is check for errors of gorgonia.org/cu/blas.
func checkBLAS(call string, err error) error {
	var status cublas.Status
	if errors.As(err, &status) {
		return &driver.BLASError{Call: call, Status: driver.BLASStatus(status)}
	}
	return check(call, err)
}
