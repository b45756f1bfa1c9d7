//go:build !linux || !(amd64 || arm64)

package cudatest

import "testing"

// Fake is one fake driver. There is none here.
type Fake struct{ Folder string }

// Start skips the test.
func Start(t testing.TB) *Fake { return Install(t) }

// Install skips the test.
func Install(t testing.TB) *Fake {
	t.Skip("the fake CUDA driver is for linux on amd64 and arm64")
	return nil
}

// Set does nothing.
func (*Fake) Set(string, int64) {}

// Get returns 0.
func (*Fake) Get(string) int { return 0 }
