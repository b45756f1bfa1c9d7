//go:build !linux && !darwin

package ndarray

import "os"

// claimsFiles tells that files are not locked while they are written, and that an open file cannot be renamed.
const claimsFiles = false

func claim(*os.File, string) bool { return true }

func removeAbandoned(string) bool { return false }
