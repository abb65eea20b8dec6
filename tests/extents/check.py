#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Looks for extents that are multiplied without a check.

    check.py FOLDER        FOLDER is include/situ; train/ and emulation/ beside it are read, too
    check.py --selftest    plants each kind of product once and expects it to be found

An extent that is computed may not fit in 64 bits, beside an extent of 0 without a single element. So headers outside the
kernels multiply extents by core/extents.hpp (`product_of_extents`, which throws), or by `Shape::count(first, last)` where all
are of one shape, whose own check bounds them. Bytes (`* sizeof(T)`) are of elements that there are. Floating-point products,
of casts to `double`, do not wrap. Comments and texts do not count.
"""
import argparse
import pathlib
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
sys.dont_write_bytecode = True
import rooms  # noqa: E402

# Rooms of kernels and of what they are planned by, which are given shapes that tensors have; and the helpers.
NOT_HERE = ("cpu/", "cuda/", "emulation/", "formula/", "plan/", "core/shape.hpp", "core/broadcast.hpp", "core/extents.hpp")
# Lines that may: (header, part of the line): why.
ALLOWED = {
    ("tensor/layout.hpp", "* extent(old_shape, axis + 1)"): "unsigned, to be compared with a stride",
    ("tensor/layout.hpp", "step *= extent(shape, axis)"): "unsigned: a stride of a shape that is checked",
    ("ops/reduce_axes.hpp", "count *= static_cast<std::uint64_t>(shape[axis])"): "some extents of one shape",
    ("einsum/pair.hpp", "factor.stride(all[first]) * extents[inner]"): "a stride of a tensor that there is",
    ("io/boxes.hpp", "number * box.extents[axis]"): "the number of an element within a shape that is checked",
    ("interop/eigen_map.hpp", "index % layout_.shape[axis]"): "a place within a tensor that there is",
    ("ledger/recorder.hpp", "2 * items.size()"): "entries of a list, no extent",
    ("train/device_log.hpp", "2 * elements_.size()"): "twice what there is memory for",
    ("train/ticks.hpp", "i * step + 0.0"): "a number on a scale",
    ("world/meeting.hpp", "sent_.size() * room"): "room for a message of each rank",
    ("world/exchange.hpp", "split.extent(rank)) * bytes"): "bytes of a part of a tensor that there is",
    ("world/exchange.hpp", "own * others * pieces.extent(rank)"): "a part of a part of a tensor that there is",
    ("world/call.hpp", "shape.count()) * (bits"): "bytes of elements that there are",
}
COMMENT = re.compile(r'//.*|"(?:[^"\\]|\\.)*"')
INTEGER_CAST = re.compile(r"static_cast<std::(?:size_t|u?int\d+_t)>\(((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)")
# shape[0], x.shape()[axis], matrix_shape[i], extents[label], x.extent(-1), x.size(), shape.count(), extent
NAME = r"(?:\b\w+(?:\(\))?(?:\.|->))*"
EXTENT = (rf"(?:{NAME}\b(?:\w*shape\w*|\w*extents)(?:\(\))?\[[^\]]*\]|{NAME}(?:extent|size|count)\([^()]*\)"
          rf"|{NAME}\bextent\b(?!\())")
PRODUCTS = [
    re.compile(rf"{EXTENT}\s*\*(?!\s*sizeof)=?"),
    re.compile(rf"(?<!sizeof\(T\)) \*=?\s*-?{EXTENT}"),
    # what becomes an extent is no product, whatever its factors are called
    re.compile(r"(?:\.push_back|\.set|\.insert)\([^;]*[\w\])] \* [^;]*;"),
    re.compile(r"\bShape(?: \w+)?\{[^}]* \* [^}]*\}"),
]
NO_EXTENTS = re.compile(r"\.set_stride\(|received\.push_back|parts\.push_back")  # bytes, strides


def products(header, text):
    """The lines of a header that multiply extents."""
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        code = COMMENT.sub('""', line)
        while (shorter := INTEGER_CAST.sub(r"\1", code)) != code:
            code = shorter
        hit = any(pattern.search(code) for pattern in PRODUCTS[:2])
        if not NO_EXTENTS.search(code):
            hit = hit or any(pattern.search(code) for pattern in PRODUCTS[2:])
        if hit and not any(header == where and part in line for where, part in ALLOWED):
            found.append((number, line.strip()))
    return found


def check(folder):
    problems, used = [], set()
    for name, path in rooms.headers(folder.parent).items():
        header, text = name.removeprefix("situ/"), path.read_text()
        used |= {(where, part) for where, part in ALLOWED if where == header and part in text}
        if header.startswith(NOT_HERE):
            continue
        problems += [f"{header}:{number}: multiplies extents: {line}; use product_of_extents(a, b, operation), or "
                     "Shape::count(first, last) of one shape" for number, line in products(header, text)]
    return problems, used


def selftest():
    planted = [
        "shape.set(begin, shape[begin] * shape[axis]);",
        "  shape.set(axis, left * right);",
        "std::int64_t n = x.shape()[0] * repeats;",
        "rows *= shape[axis];",
        "count = count * x.extent(-1);",
        "const std::int64_t all = a.size() * b.size();",
        "result.push_back(m * n);",
        "return Shape{planes, height * width};",
        "const Shape flat{rows * columns, 1};",
        "product *= static_cast<std::uint64_t>(shape[axis]);",
        "const auto all = static_cast<std::size_t>(shape.count()) * parts;",
        "folded.set(0, folded[0] * next[i]);",
        "return batch_shape(b.shape()).count() * b.extent(-1);",
        "size_ *= layout.shape[axis];",
    ]
    fine = [
        "shape.set(begin, shape.count(begin, end + 1));",
        "shape.set(axis, product_of_extents(shape[axis], repeat, \"tile\"));",
        "// rows *= shape[axis]",
        "throw ShapeError(\"shape[0] * shape[1]\");",
        "const auto bytes = static_cast<std::size_t>(x.size()) * sizeof(T);",
        "const double all = static_cast<double>(shape[0]) * static_cast<double>(shape[1]);",
        "result.offset += begin * layout.stride(axis);",
        "const Tensor<T, D> y = x * weight;",
        "[[nodiscard]] const Shape* shape() const;",
        "mean(x * y, {0, 2}, keepdims)",
    ]
    wrong = []

    def verdict(line, header="ops/x.hpp"):
        with tempfile.TemporaryDirectory() as scratch:
            path = pathlib.Path(scratch) / "include" / "situ" / header
            path.parent.mkdir(parents=True)
            path.write_text(f"// SPDX-License-Identifier: Apache-2.0\n{line}\n")
            return check(pathlib.Path(scratch) / "include" / "situ")[0]

    for line in planted:
        if len(verdict(line)) != 1:
            wrong.append(f"planted, and not found: {line}")
        if verdict(line, "cpu/x.hpp"):
            wrong.append(f"found in a kernel: {line}")
    wrong += [f"found, and fine: {line}" for line in fine if verdict(line)]
    for line in wrong:
        print("FAILED", line)
    print(f"selftest: {len(planted)} planted products, {len(fine)} other lines, {len(wrong)} wrong answers")
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=pathlib.Path)
    parser.add_argument("--selftest", action="store_true")
    options = parser.parse_args()
    if options.selftest:
        return selftest()
    problems, used = check(options.folder)
    problems += [f"{header}: no line has '{part}', which is allowed; take that out of ALLOWED" for header, part in ALLOWED
                 if (header, part) not in used]
    if not any(options.folder.rglob("*.hpp")):
        problems.append(f"no headers in {options.folder}")
    for problem in problems:
        print("FAILED", problem)
    print(f"{len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
