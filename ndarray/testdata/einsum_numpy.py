"""Writes einsum_numpy.json: what NumPy makes of numpy.arange(size).reshape(shape) + i, i being the number of the operand."""
import json
import pathlib

import numpy as np

sizes = {"a": 2, "b": 3, "c": 4, "d": 2, "e": 3, "f": 2}
equations = """a | a-> | ab | ba | ab->ba | aa | aa-> | aa->a | aab->ba | abc->b | ab,bc | ab,bc->ac | ab,bc->ca | ba,bc->ac | ab,ab | ab,ab->a
ab,ab->ab | a,b | a,b->ba | ab,b | ab,b->a | ab,b->b | abc,cd | abc,abd->acd | abc,abd->dca | abcd,cdb->a | abef,cdfe->abcd | ab,bc,cd | ab,bc,cd->ad
ab,bc,cd,de->ae | ab,bc,cd,de,ef->fa | ab,ac,ad->bcd | aab,bcc->ac | aa,aa | aa,ab->b | ,ab | ,-> | a,,b->ab | ab,cd-> | abb,b->a | abc,ab->abc | abc,ab->bc
a,a,a->a | a,a,a-> | ab,bc,ca | ab,bc,ca-> | abc,bcd,cde,def->af | Aa,aZ | a b , b c -> a c""".replace("\n", " | ").split(" | ")
ellipses = [("...", [(2, 3)]), ("...a->a...", [(2, 3, 2)]), ("...ab,...bc", [(5, 2, 3), (3, 4)]), ("...ab,...bc->...ac", [(5, 1, 2, 3), (4, 3, 4)]),
            ("a...,...a->...", [(2, 3), (3, 2)]), ("...,...", [(2, 1), (3,)]), ("...a,...a->...", [(2, 3), (3,)]), ("a...->...", [(2, 3)]), ("...aa->...a", [(4, 2, 2)]),
            ("ab,ab->ab", [(1, 3), (2, 3)]), ("ab,bc->ac", [(2, 1), (3, 4)]), ("ab,bc->ac", [(2, 0), (0, 4)]), ("ab,ab->", [(0, 3), (0, 3)])]
sizes |= {"A": 3, "Z": 2}
cases = []
for equation, shapes in [(e, None) for e in equations] + ellipses:
    if shapes is None:
        shapes = [tuple(sizes[c] for c in term.strip() if c != " ") for term in equation.split("->")[0].split(",")]
    operands = [np.arange(np.prod(shape, dtype=int)).reshape(shape) + i for i, shape in enumerate(shapes)]
    result = np.einsum(equation, *operands)
    cases.append({"equation": equation, "shapes": shapes, "result": list(np.shape(result)), "values": np.ravel(result).tolist()})
text = ",\n".join(json.dumps(case) for case in cases)
pathlib.Path(__file__).with_suffix(".json").write_text(f"[\n{text}\n]\n")
