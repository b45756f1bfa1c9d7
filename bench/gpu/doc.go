// Package gpu measures weft on a GPU. It holds benchmarks only, which are skipped where there is none; `make gpu-check` builds them for
// a machine with a GPU.
package gpu
