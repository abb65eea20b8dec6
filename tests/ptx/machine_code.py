# SPDX-License-Identifier: Apache-2.0
"""The machine code (SASS) of a GPU, as cuobjdump prints it, and what can be counted in it.

An instruction has a control code beside it: which of six scoreboards its result is written under, and which of them it
waits for. So one sees which loads are on the way together, which PTX does not say: there ptxas has not yet ordered
anything."""

import collections
import re

Instruction = collections.namedtuple("Instruction", "address text operation barrier waits")
Batch = collections.namedtuple("Batch", "first wait widths")  # loads on the way when the first of them is waited for

LINE = re.compile(r"^\s*/\*([0-9a-f]+)\*/\s+(.*?)\s*;\s*/\* 0x[0-9a-f]{16} \*/")
CONTROL = re.compile(r"^\s*/\* 0x([0-9a-f]{16}) \*/\s*$")
NO_BARRIER = 7

# Which unit computes an operation, and how many of it a multiprocessor begins a cycle is in roofline.py. All count as
# instructions, too.
UNITS = {
    "special": r"MUFU|I2F|F2I|F2F(\.|$)|POPC|FLO",
    "double": r"D(ADD|MUL|FMA|SETP|MNMX)",
    "multiply": r"IMAD|IDP",
    "integer": r"IADD3|LOP3|SHF|SEL|[IF]SETP|VIADD|VIMNMX|VIADDMNMX|LEA|PRMT|FMNMX|FSEL|IABS|PLOP3|F2FP|LOP",
    "access": r"LDG|STG|LDS|STS|SHFL|LDL|STL|LD\.|ST\.|ATOM|RED",
}
WIDE = re.compile(r"IMAD\.(WIDE|HI|X)|IADD3\.X|LEA\.HI\.X|ISETP\S*\.EX|SHF\.\S*64")


def operation_of(text):
    words = text.split()
    return words[1] if words[0].startswith("@") else words[0]


def parse(dump):
    """{mangled name: [Instruction]} of `cuobjdump -sass`, without what follows the last one to keep it aligned."""
    found, code, pending = {}, None, None
    for line in dump.splitlines():
        if match := re.search(r"Function : (\S+)", line):
            code = found.setdefault(match.group(1), [])
        elif match := LINE.match(line):
            pending = (int(match.group(1), 16), match.group(2))
        elif (match := CONTROL.match(line)) and pending and code is not None:
            control = int(match.group(1), 16) >> 41
            waits = [b for b in range(6) if control >> 11 + b & 1]
            code.append(Instruction(*pending, operation_of(pending[1]), control >> 5 & 7, waits))
            pending = None
    for code in found.values():
        while code and (code[-1].operation == "NOP" or is_jump_to_itself(code[-1])):
            code.pop()
    return found


def target(instruction):
    match = re.search(r"\bBRA\S* (?:!?U?P\w+, )*0x([0-9a-f]+)", instruction.text)
    return int(match.group(1), 16) if match else None


def is_jump_to_itself(instruction):
    return target(instruction) == instruction.address


def is_load(instruction):
    return bool(re.match(r"LDG|LD\.", instruction.operation))


def ends_path(instruction):
    """Whether what follows is not reached from here."""
    return instruction.operation in ("EXIT", "RET", "BRA") or re.match(r"RET|BRX|JMX", instruction.operation) \
        if not instruction.text.startswith("@") else False


def bytes_of(instruction):
    """Of a load or store of global memory, for one thread."""
    match = re.search(r"\.(8|16|U8|S8|U16|S16|32|64|128)(?=\.|$)", instruction.operation)
    return int(re.sub(r"\D", "", match.group(1))) // 8 if match else 4


def batches(code):
    """A Batch for every wait for a load, in the order of the code."""
    found, pending = [], collections.defaultdict(list)
    for at, instruction in enumerate(code):
        if any(pending[b] for b in instruction.waits):
            loads = sorted(load for loads in pending.values() for load in loads)
            found.append(Batch(loads[0][0], at, [width for _, width in loads]))
            for barrier in instruction.waits:
                pending[barrier] = []
        if is_load(instruction) and instruction.barrier != NO_BARRIER:
            pending[instruction.barrier].append((at, bytes_of(instruction)))
        if ends_path(instruction):
            pending.clear()
    return found


def hot_part(code, width=0):
    """(instructions that a thread goes through for what its largest batch of loads, or its widest store, brings; the
    batch or None). The innermost loop around it or, where there is none, the way from the beginning to the end, past what a
    condition leads away to and an unconditional jump leads over. With a `width`, the batch of the most loads of so many
    bytes, one in a loop where others have as many."""
    place = {instruction.address: at for at, instruction in enumerate(code)}

    def loops_around(first):
        return [
            (place[goal], at)
            for at, instruction in enumerate(code)
            if (goal := target(instruction)) is not None and goal in place and place[goal] <= first <= at
        ]

    def rank(batch):
        return sum(w for w in batch.widths if width in (0, w)), bool(width and loops_around(batch.first))

    most = max(batches(code), key=rank, default=None)
    stores = [at for at, i in enumerate(code) if i.operation.startswith("STG")]
    if most is None and not stores:
        return code, None
    first = most.first if most else max(stores, key=lambda at: bytes_of(code[at]))
    loops = loops_around(first)
    if loops:
        begin, end = min(loops, key=lambda loop: loop[1] - loop[0])
        return code[begin : end + 1], most
    begin = max((at + 1 for at in range(first) if ends_path(code[at])), default=0)
    way_in = [at for at in range(begin) if target(code[at]) == code[begin].address]
    way = list(code[: way_in[0] + 1]) if way_in else []
    at = begin
    while at < len(code):
        way.append(code[at])
        goal = place.get(target(code[at]), 0)
        if not ends_path(code[at]) and not leads_over_report(code, at, goal):
            goal = at + 1
        if goal <= at:  # the end, or a way back
            break
        at = goal
    return way, most


def leads_over_report(code, at, goal):
    """Whether a condition leads past the report of a bad index, which is rare and begins with an atomic exchange."""
    return any(i.operation.startswith("ATOM") and "EXCH" in i.operation for i in code[at + 1 : goal])


def measure(code, element_bytes, by_loads=False, width=0):
    """What is counted in a kernel. Its elements are counted by the bytes that its hot part stores, or loads."""
    hot, batch = hot_part(code, width)
    moved = sum(bytes_of(i) for i in hot if (is_load(i) if by_loads else i.operation.startswith("STG")))
    elements = max(moved / element_bytes, 1)
    units = {name: sum(bool(re.match(unit, i.operation)) for i in hot) / elements for name, unit in UNITS.items()}
    return {
        "instructions": len(hot) / elements,
        "elements": elements,
        "vectors": sum(width == 16 for width in batch.widths) if batch else 0,
        "loads": len(batch.widths) if batch else 0,
        "bytes": sum(batch.widths) if batch else 0,
        "wide": sum(bool(WIDE.match(i.operation)) for i in hot) / elements,
        "local": local_accesses(code),
        "size": len(code),
        **units,
    }


def local_accesses(code):
    return sum(bool(re.match(r"LDL|STL", i.operation)) for i in code)
