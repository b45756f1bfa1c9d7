"""One operator on 16 float32 numbers, its result allocated and dropped: CASE, "add", "wait" (the same here) or "chain"."""


def prepare(library, case):
    module = __import__(library)
    x, y = module.zeros(16, dtype=module.float32), module.zeros(16, dtype=module.float32)
    if case != "chain":
        return lambda: x + y
    state = [x]

    def step():
        state[0] = state[0] + y

    return step
