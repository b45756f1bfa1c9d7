package main

import (
	"os"
	"strconv"
	"strings"
)

// processorTime is what the processors of the machine have spent, in ticks.
type processorTime struct{ stolen, total float64 }

// readProcessorTime returns the processor time so far; nothing where the system is not Linux.
func readProcessorTime() processorTime {
	text, _ := os.ReadFile("/proc/stat")
	return parseProcessorTime(string(text))
}

// parseProcessorTime takes the first line of /proc/stat (proc_stat(5)): user, nice, system, idle, iowait, irq, softirq, steal; the
// times of guests that follow are in user and nice already.
func parseProcessorTime(text string) (t processorTime) {
	line, _, _ := strings.Cut(text, "\n")
	const stolen, counted = 7, 8
	fields := strings.Fields(line)
	if len(fields) <= counted || fields[0] != "cpu" {
		return t
	}
	for i, field := range fields[1 : 1+counted] {
		ticks, err := strconv.ParseFloat(field, 64)
		if err != nil {
			return processorTime{}
		}
		if t.total += ticks; i == stolen {
			t.stolen = ticks
		}
	}
	return t
}

// stolenSince returns the part of the processors' time since before that a hypervisor gave to others: 0 where nobody tells.
func (t processorTime) stolenSince(before processorTime) float64 {
	if t.total <= before.total {
		return 0
	}
	return (t.stolen - before.stolen) / (t.total - before.total)
}
