// Package tools is the module of what checks the library and is no part of it: staticcheck, pinned by the tool directive
// of go.mod, and the project's own checkers.
//
//   - layers holds every package to the layer order and to the modules it may use,
//   - sizes counts packages and files, and refuses files that have grown too long,
//   - fused finds products that the compiler fuses with sums on some processors, whose results would differ in bits,
//   - readme holds the commands shown in README.md to those that continuous integration runs.
//
// It is a module of its own so that users of the library never see these dependencies. `make lint` builds and runs them.
package tools
