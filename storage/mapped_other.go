//go:build !linux && !darwin

package storage

import (
	"errors"
	"os"
)

func mapPrivate(*os.File, int) ([]byte, error) { return nil, errors.ErrUnsupported }

func unmapPrivate([]byte) error { return errors.ErrUnsupported }
