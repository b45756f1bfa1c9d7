// Package gpu measures weft on a GPU. It holds benchmarks, which are skipped where there is none; `make gpu-check` builds them for
// a machine with a GPU.
package gpu
