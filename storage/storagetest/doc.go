// Package storagetest is the suite of properties that every storage.Manager has, whatever it keeps for reuse.
//
// RunManager runs it. The properties use only the interface, so that managers of other packages can be tested too. The
// package holds no state; a manager under test belongs to one property at a time.
package storagetest
