// Package guides holds the tables of the guides docs/coming-from-*.md as tests: every row is what the page shows, and
// is run. Rows of NumPy and PyTorch are run by these, too, where they are installed (make peers). Command generate
// makes the pages of them.
package guides
