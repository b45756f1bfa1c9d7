package storage

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/fault"
)

func TestBallastFitsTheMachine(t *testing.T) {
	const unlimited = math.MaxInt64
	for name, c := range map[string]struct {
		setting       string
		limit, memory int64
		want          int64
	}{
		"large machine":  {"", unlimited, 64 << 30, defaultBallast},
		"unknown":        {"", unlimited, 0, defaultBallast},
		"small machine":  {"", unlimited, 256 << 20, 4 << 20},
		"memory limit":   {"", 1 << 30, 64 << 30, 0},
		"set":            {"1048576", unlimited, 64 << 30, 1 << 20},
		"set, and limit": {"1048576", 1 << 30, 64 << 30, 1 << 20},
		"none":           {"0", unlimited, 64 << 30, 0},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, ballastBytes(c.setting, c.limit, c.memory)) })
	}
}

func TestBallastOfNoNumberIsAnError(t *testing.T) {
	for _, setting := range []string{"16MiB", "-1", "9223372036854775807"} {
		func() {
			defer func() {
				err, _ := recover().(error)
				require.ErrorIs(t, err, fault.ErrParameter)
				require.ErrorContains(t, err, fmt.Sprintf("%s: the environment variable is %q (legal: from 0 to ", ballastVariable, setting))
			}()
			ballastBytes(setting, math.MaxInt64, 0)
		}()
	}
}
