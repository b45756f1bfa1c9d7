// Package bench measures weft beside its peers. It holds benchmarks only: `make bench` runs them.
package bench
