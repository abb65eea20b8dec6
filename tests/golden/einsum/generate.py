#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes cases.txt and forms.hpp beside it: random subscripts, operands, and what NumPy's einsum gives for them.

    python3 tests/golden/einsum/generate.py

cases.txt has the form of ../generate.py; the argument of a case says which of forms.hpp its subscripts are. Numbers are small
integers, so that the results are exact in double whatever the order of summation is.
"""
from pathlib import Path

import numpy as np

COUNT = 220
VIEWS = {
    "plain": lambda a: a,
    "transpose": lambda a: a.T,
    "step": lambda a: a[..., ::2],
    "flip": lambda a: a[::-1],
    "broadcast": lambda a: np.broadcast_to(a, (3,) + a.shape),
}
LETTERS = "abcdeijkxyzABZ"
EXTENTS = [1, 2, 3, 3, 4, 5, 7]
rng = np.random.Generator(np.random.Philox(2027))


def pick(things):
    return things[int(rng.integers(len(things)))]


def array_line(array):
    return " ".join([str(array.ndim), *map(str, array.shape), *(str(float(v)) for v in array.reshape(-1))])


def written(view, shape):
    """The shape of the array of which `view` makes one of this shape."""
    shape = list(shape)
    if view == "transpose":
        return shape[::-1]
    if view == "step":
        return shape[:-1] + [2 * shape[-1]]
    return shape[1:] if view == "broadcast" else shape


def operand(shape):
    view = pick(list(VIEWS))
    if view == "broadcast" and not (shape and shape[0] == 3):
        view = "plain"
    if (view == "step" and not 1 <= len(shape) <= 2) or (view == "flip" and not shape):
        view = "plain"
    array = rng.integers(-4, 5, written(view, shape)).astype(np.float64)
    return array, view


def draw():
    """Subscripts and the shapes of their operands."""
    letters = [str(c) for c in rng.permutation(list(LETTERS))[:int(rng.integers(1, 7))]]
    extents = {c: pick(EXTENTS) for c in letters}
    if rng.random() < 0.06:
        extents[letters[0]] = 0
    hidden = [pick(EXTENTS) for _ in range(int(rng.integers(0, 3)))]
    ellipses = rng.random() < 0.3
    terms, shapes = [], []
    for _ in range(pick([1, 2, 2, 2, 2, 3, 3, 4])):
        names = [pick(letters) for _ in range(int(rng.integers(0 if ellipses else 1, 5)))]
        if rng.random() < 0.8:
            names = list(dict.fromkeys(names))  # without diagonals
        shape = [1 if names.count(c) == 1 and rng.random() < 0.05 else extents[c] for c in names]
        if ellipses and rng.random() < 0.8:
            at = int(rng.integers(0, len(names) + 1))
            own = [1 if rng.random() < 0.15 else n for n in hidden[int(rng.integers(0, len(hidden) + 1)):]]
            shape[at:at] = own
            names[at:at] = ["..."]
        terms.append("".join(names))
        shapes.append(shape)
    has_ellipsis = any("..." in term for term in terms)
    used = sorted(set("".join(terms)) - {"."})
    if rng.random() < 0.15:
        return ",".join(terms), shapes
    output = [c for c in rng.permutation(used) if rng.random() < 0.6] if used else []
    if has_ellipsis:
        output.insert(int(rng.integers(0, len(output) + 1)), "...")
    arrow = " -> " if rng.random() < 0.1 else "->"
    return ",".join(terms) + arrow + "".join(output), shapes


def main():
    folder = Path(__file__).resolve().parent
    cases, forms = [], []
    while len(forms) < COUNT:
        subscripts, shapes = draw()
        if subscripts in forms or max(map(len, shapes)) > 6:
            continue
        operands = [operand(shape) for shape in shapes]
        try:
            result = np.einsum(subscripts, *(VIEWS[view](array) for array, view in operands))
        except ValueError:
            continue  # of NumPy: an extent of 1 beside another in one operand's diagonal
        if result.ndim > 8 or result.size > 400:
            continue
        cases.append(f"case einsum-{len(forms) + 1} {subscripts}")
        cases.append(f"op einsum {len(forms)}")
        cases += [f"in float64 {view} {array_line(array)}" for array, view in operands]
        cases.append(f"out float64 {array_line(np.asarray(result))}")
        cases.append("tol 0 1e-9")  # so that 0 and -0 are equal
        forms.append(subscripts)
    (folder / "cases.txt").write_text("\n".join(cases) + "\n")
    lines = [f'    &evaluate<D, "{form}">,' for form in forms]
    (folder / "forms.hpp").write_text("\n".join([
        "// SPDX-License-Identifier: Apache-2.0", "// The subscripts of the cases, made by generate.py.", "#pragma once", "",
        '#include "evaluate.hpp"', "", "namespace golden {", "", "template <class D>", "inline constexpr Evaluate<D>* einsum_forms[] = {", *lines, "};", "",
        "}  // namespace golden"]) + "\n")


if __name__ == "__main__":
    main()
