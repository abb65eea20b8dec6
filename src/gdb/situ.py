# SPDX-License-Identifier: Apache-2.0
"""What gdb shows of situ's values: element type, device, shape, and the elements of tensors in host memory.

    (gdb) source <prefix>/share/situ/gdb/situ.py
    (gdb) print x
    $1 = float32 on cpu, shape (2, 3), [[0.1, 0.2, 0.3], [1, 2, 3]]
    (gdb) print x(all, 1)                                   # a view: where it lies differs, so the strides are told
    $2 = float32 on cpu, shape (2), strides (3), offset 1, [0.2, 2]
    (gdb) print g
    $3 = float32 on cuda:0, shape (2, 3), at 0x7f3200000000

Device memory is never read: a debugger that touches it stops the program, or waits for what runs there. Of large tensors
`print elements` decides how many elements are shown at most; beyond, three at each end of every axis.
"""
import itertools
import math
import struct

import gdb
import gdb.printing

EDGE = 3  # elements shown at each end of an axis of a large tensor, as NumPy
MOVED_FROM = 1  # what Tensor::gone() has for an address
ELEMENTS = {  # C++ type: (dtype, bytes, as `struct` unpacks it)
    "float": ("float32", 4, "f"), "double": ("float64", 8, "d"), "situ::float16": ("float16", 2, "e"),
    "situ::bfloat16": ("bfloat16", 2, "H"), "bool": ("bool", 1, "?"), "signed char": ("int8", 1, "b"),
    "unsigned char": ("uint8", 1, "B"), "short": ("int16", 2, "h"), "unsigned short": ("uint16", 2, "H"),
    "int": ("int32", 4, "i"), "unsigned int": ("uint32", 4, "I"), "long": ("int64", 8, "q"),
    "long long": ("int64", 8, "q"), "unsigned long": ("uint64", 8, "Q"), "unsigned long long": ("uint64", 8, "Q"),
}


def plain(type_):
    return type_.unqualified().strip_typedefs()


def device_name(type_):
    """As the library's own messages have it: "cpu", "pinned", "cuda:0"."""
    name = plain(type_).name.removeprefix("situ::")
    if name.startswith("Cuda<"):
        return "cuda:" + name[5:-1]
    return {"Cpu": "cpu", "Pinned": "pinned"}.get(name, name)


def numbers(array):
    """The elements of a std::array of integers, of libstdc++ or libc++."""
    field = plain(array.type).fields()[0].name
    low, high = plain(array[field].type).range()
    return [int(array[field][i]) for i in range(low, high + 1)]


def extents(shape):
    return numbers(shape["extents_"])[:int(shape["rank_"])]


def listed(values):
    return "(" + ", ".join(map(str, values)) + ")"


def row_major(shape):
    steps, step = [], 1
    for extent in reversed(shape):
        steps.append(step)
        step *= extent
    return steps[::-1]


def lies_row_major(shape, strides):
    return math.prod(shape) == 0 or all(extent == 1 or a == b for extent, a, b in zip(shape, strides, row_major(shape)))


def stored(value, name):
    """The bits that an element type has for a number, rounded to nearest even; None for one too large."""
    if name == "situ::bfloat16":
        (bits,) = struct.unpack("I", struct.pack("f", value))
        return (bits + 0x7fff + (bits >> 16 & 1)) >> 16
    try:
        return struct.pack(ELEMENTS[name][2], value)
    except OverflowError:
        return None


def shortest(value, name):
    """The fewest digits that are read back as the same element."""
    if not math.isfinite(value):
        return str(value)
    texts = (f"{value:.{digits}g}" for digits in range(1, 18))
    return next(text for text in texts if stored(float(text), name) == stored(value, name))


class Elements:
    """The elements of a tensor in host memory, read one by one as they are shown."""

    def __init__(self, address, name, shape, strides, offset):
        _, self.size, self.format = ELEMENTS[name]
        self.address, self.name, self.shape, self.strides, self.offset = address, name, shape, strides, offset

    def one(self, place):
        data = gdb.selected_inferior().read_memory(self.address + place * self.size, self.size)
        (value,) = struct.unpack("=" + self.format, bytes(data))
        if self.name == "situ::bfloat16":
            (value,) = struct.unpack("f", struct.pack("I", value << 16))
        if isinstance(value, bool):
            return "true" if value else "false"
        if not isinstance(value, float):
            return str(value)
        return shortest(value, self.name)

    def text(self, limit):
        return self.block(0, self.offset, limit is not None and math.prod(self.shape) > limit)

    def block(self, axis, place, summarise):
        if axis == len(self.shape):
            return self.one(place)
        count = self.shape[axis]
        ends = summarise and count > 2 * EDGE
        shown = itertools.chain(range(EDGE), [None], range(count - EDGE, count)) if ends else range(count)
        return "[" + ", ".join("..." if i is None else self.block(axis + 1, place + i * self.strides[axis], summarise)
                               for i in shown) + "]"


class TensorPrinter:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        element = plain(self.value.type.template_argument(0)).name
        device = plain(self.value.type.template_argument(1))
        dtype = ELEMENTS[element][0] if element in ELEMENTS else element
        head = f"{dtype} on {device_name(device)}"
        lease = int(self.value["lease_"])
        if lease == MOVED_FROM:
            return head + ", moved from"
        layout = self.value["layout_"]
        shape = extents(layout["shape"])
        strides = numbers(layout["strides"])[:len(shape)]
        offset = int(layout["offset"])
        head += ", shape " + listed(shape)
        if not lies_row_major(shape, strides):
            head += ", strides " + listed(strides)
        if offset != 0:
            head += f", offset {offset}"
        if lease != 0:
            return head + f", leased to {lease:#x}"
        block = self.value["storage_"]["block_"]
        if int(block) == 0:
            return head + ", without storage"
        if device.name not in ("situ::Cpu", "situ::Pinned"):
            return head + f", at {int(block['data']):#x}"
        if element not in ELEMENTS:
            return head
        elements = Elements(int(block["data"]), element, shape, strides, offset)
        return head + ", " + elements.text(gdb.parameter("print elements"))


class ShapePrinter:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        return listed(extents(self.value))


class HalfPrinter:
    """A `float16` or `bfloat16` by itself."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        return Elements(int(self.value.address), plain(self.value.type).name, [], [], 0).text(None)


class VariablePrinter:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        return "variable of " + TensorPrinter(self.value["value_"]).to_string()


class SpreadPrinter:
    """The layout, the shape of the whole, and the part on each device."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        layout = plain(self.value.type.template_argument(1)).name.replace("situ::", "")
        return f"{layout}, shape {listed(extents(self.value['shape_']))}"

    def children(self):
        yield "parts", self.value["parts_"]


def printers():
    collection = gdb.printing.RegexpCollectionPrettyPrinter("situ")
    collection.add_printer("Tensor", "^situ::Tensor<.*>$", TensorPrinter)
    collection.add_printer("Variable", "^situ::Variable<.*>$", VariablePrinter)
    collection.add_printer("Spread", "^situ::Spread<.*>$", SpreadPrinter)
    collection.add_printer("Shape", "^situ::Shape$", ShapePrinter)
    collection.add_printer("half", "^situ::b?float16$", HalfPrinter)
    return collection


gdb.printing.register_pretty_printer(None, printers(), replace=True)
