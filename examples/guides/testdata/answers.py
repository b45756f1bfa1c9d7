"""Answers rows of the guides for those who come from libraries of Python: JSON from the standard input, answers to the standard output."""

import ast
import json
import sys

import numpy as np


def described(result):
    """The dtype, shape and text of an array, and the text of anything else; as described in guide_test.go."""
    if hasattr(result, "detach"):  # a tensor of PyTorch
        result = result.detach().numpy()
    if isinstance(result, np.dtype):
        return result.name
    if isinstance(result, (np.ndarray, np.generic)):
        shape = ",".join(map(str, result.shape)) + ("," if result.ndim == 1 else "")
        precision = request["precision"]
        return f"{result.dtype} ({shape}) {np.array2string(result, precision=precision) if precision else str(result)}"
    if isinstance(result, (list, tuple)) and result and hasattr(result[0], "dtype"):
        return "\n".join(map(described, result))
    if isinstance(result, tuple):
        return "(" + ",".join(map(str, result)) + ("," if len(result) == 1 else "") + ")"
    if isinstance(result, float) and result == int(result):
        return str(int(result))
    return str(result).removeprefix("torch.")  # which names of dtypes begin with


request = json.load(sys.stdin)
answers = []
for row in request["rows"]:
    names = {}
    exec(request["setup"], names)
    *statements, last = ast.parse(row).body
    exec(compile(ast.Module(statements, []), "row", "exec"), names)
    answers.append(described(eval(compile(ast.Expression(last.value), "row", "eval"), names)))
json.dump(answers, sys.stdout)
