"""Writes indexing_numpy.json: what NumPy selects of numpy.arange(size).reshape(shape) by random index expressions."""
import json
import pathlib
import random

import numpy as np

random.seed(7)


def nested(shape, draw):
    return draw() if not shape else [nested(shape[1:], draw) for _ in range(shape[0])]


def value(n, joint):
    kind = random.randrange(11)
    if kind < 2:
        return str(random.randrange(-n - (random.random() < 0.05), n) if n else 0), 1
    if kind < 5:
        bounds = [random.choice(["", str(random.randrange(-n - 2, n + 3))]) for _ in range(2)]
        step = random.choice(["", ":", ":2", ":-1", ":-3", ":1"])
        return ":".join(bounds) + step, 1
    if kind == 5:
        return "None", 0
    if kind == 6:
        return random.choice(["True", "True", "False"]), 0
    if kind < 10 and n:
        shape = [random.choice([s, s, s, 1]) for s in joint[random.randrange(len(joint)):]]
        return str(nested(shape, lambda: random.randrange(-n, n))), 1
    return str([random.random() < 0.5 for _ in range(n)]) if n else ":", 1


def expression(shape):
    joint, parts, axis = random.choice([[2], [3], [2, 2], [3, 1]]), [], 0
    rest = random.randrange(len(shape) + 3)
    while axis < len(shape):
        if len(parts) == rest:
            parts.append("...")
            axis += random.randrange(len(shape) - axis + 1)
            rest = -1
            continue
        text, axes = value(shape[axis], joint)
        parts.append(text)
        axis += axes
        if random.random() < 0.15:
            break
    return ", ".join(parts)


cases = []
while len(cases) < 500:
    shape = [random.choice([0, 1, 2, 3, 3, 4, 4, 5]) for _ in range(random.randrange(1, 5))]
    index = expression(shape)
    if index in ("", "None") or len(index) > 90:
        continue
    array = np.arange(np.prod(shape)).reshape(shape)
    case = {"shape": shape, "index": index}
    try:
        selected = eval(f"array[{index}]")
        if selected.size > 40:
            continue
        if selected.shape == () and "..." not in index:
            selected = eval(f"array[{index}, ...]")  # what would be a scalar is an array, as it is in weft
        case |= {"result": list(np.shape(selected)), "values": np.ravel(selected).tolist(), "view": np.shares_memory(selected, array)}
    except IndexError:
        if random.random() < 0.7:
            continue
    cases.append(case)
text = ",\n".join(json.dumps(case) for case in cases)
pathlib.Path(__file__).with_suffix(".json").write_text(f"[\n{text}\n]\n")
