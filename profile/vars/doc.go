// Package vars shows statistics under /debug/vars. It is apart from package profile because expvar brings a web server into
// the program. Its function may be called from any goroutine.
package vars
