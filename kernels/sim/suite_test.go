package sim

import (
	"testing"

	"github.com/weft-nd/weft/device/devicetest"
)

func TestBackendPassesTheSuite(t *testing.T) { devicetest.RunAll(t, New(2)) }
