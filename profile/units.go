package profile

import (
	"fmt"
	"time"
)

// formatDuration returns d to three digits, such as "1.23 ms".
func formatDuration(d time.Duration) string {
	if d < 0 {
		return "-" + formatDuration(-d)
	}
	return scaled(float64(d), "ns", "µs", "ms", "s")
}

// formatBytes returns n to three digits in powers of 1000, such as "1.23 MB".
func formatBytes(n int64) string {
	return scaled(float64(n), "B", "kB", "MB", "GB", "TB", "PB")
}

// scaled returns value to three digits in the unit that suits it, of which each is 1000 of the one before.
func scaled(value float64, units ...string) string {
	unit := 0
	for value >= 999.5 && unit < len(units)-1 {
		value /= 1000
		unit++
	}
	if unit == 0 {
		return fmt.Sprintf("%.0f %s", value, units[0])
	}
	return threeDigits(value) + " " + units[unit]
}

func threeDigits(value float64) string {
	switch {
	case value < 9.995:
		return fmt.Sprintf("%.2f", value)
	case value < 99.95:
		return fmt.Sprintf("%.1f", value)
	}
	return fmt.Sprintf("%.0f", value)
}

// formatRate returns billions per second to three digits; "-" if there are none, "<0.01" if those would be zeros.
func formatRate(perSecond float64) string {
	switch {
	case perSecond == 0:
		return "-"
	case perSecond < 5e6:
		return "<0.01"
	}
	return threeDigits(perSecond / 1e9)
}
