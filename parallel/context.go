package parallel

import "context"

type contextKey struct{}

// NewContext returns a copy of ctx that carries t. The handle is still used by one goroutine at a time: a goroutine that
// inherits the context takes a [Thread.Fork] of what it finds.
func NewContext(ctx context.Context, t *Thread) context.Context {
	return context.WithValue(ctx, contextKey{}, t)
}

// FromContext returns the handle that ctx carries, and whether it carries one.
func FromContext(ctx context.Context) (*Thread, bool) {
	t, ok := ctx.Value(contextKey{}).(*Thread)
	return t, ok
}
