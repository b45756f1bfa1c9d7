// Package guides holds the tables of docs/coming-from-numpy.md, docs/coming-from-gonum.md and docs/coming-from-mxnet.md as tests: every
// row is what the page shows, and is run. Command generate makes the pages of them.
package guides
