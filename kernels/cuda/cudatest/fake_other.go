//go:build !linux || !(amd64 || arm64)

package cudatest

import (
	"errors"
	"testing"
)

var errOther = errors.New("the fake CUDA driver is for linux on amd64 and arm64")

// Fake is one fake driver. There is none here.
type Fake struct{ Folder string }

// Start skips the test.
func Start(t testing.TB) *Fake { return Install(t) }

// Install skips the test.
func Install(t testing.TB) *Fake {
	t.Skip(errOther)
	return nil
}

// Linked skips the test.
func Linked(t testing.TB) *Fake { return Install(t) }

// Write returns an error.
func Write(string) error { return errOther }

// Set does nothing.
func (*Fake) Set(string, int64) {}

// Get returns 0.
func (*Fake) Get(string) int { return 0 }
