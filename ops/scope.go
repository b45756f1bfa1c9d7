package ops

import (
	"context"
	"slices"
	"sync"
	"time"
)

// scope is the set of contexts that cancel the operators of an Env: it ends when one of them does. Uniting sets that
// contain one another makes nothing new, so results of results do not gather scopes without end.
type scope []context.Context

// with returns the union of s and all.
func (s scope) with(all ...context.Context) scope {
	united := s
	for _, ctx := range all {
		if !slices.Contains(united, ctx) {
			united = append(slices.Clip(united), ctx)
		}
	}
	return united
}

// context returns s as a context, nil if nothing cancels.
func (s scope) context() context.Context {
	switch len(s) {
	case 0:
		return nil
	case 1:
		return s[0]
	}
	return &union{all: s}
}

// union is a context that ends when the first of several does.
type union struct {
	all  scope
	once sync.Once
	done chan struct{}
}

// ended returns the member that has ended, the first one if none has.
func (u *union) ended() context.Context {
	for _, ctx := range u.all {
		if ctx.Err() != nil {
			return ctx
		}
	}
	return u.all[0]
}

// Err implements context.Context.
func (u *union) Err() error { return u.ended().Err() }

// Value implements context.Context. context.Cause finds the cause of the member that has ended this way.
func (u *union) Value(key any) any {
	if value := u.ended().Value(key); value != nil {
		return value
	}
	for _, ctx := range u.all {
		if value := ctx.Value(key); value != nil {
			return value
		}
	}
	return nil
}

// Deadline implements context.Context.
func (u *union) Deadline() (first time.Time, found bool) {
	for _, ctx := range u.all {
		if deadline, ok := ctx.Deadline(); ok && (!found || deadline.Before(first)) {
			first, found = deadline, true
		}
	}
	return first, found
}

// Done implements context.Context. Watching the members costs something, and only those who ask pay it.
func (u *union) Done() <-chan struct{} {
	u.once.Do(func() {
		u.done = make(chan struct{})
		end := sync.OnceFunc(func() { close(u.done) })
		for _, ctx := range u.all {
			context.AfterFunc(ctx, end)
		}
	})
	return u.done
}
