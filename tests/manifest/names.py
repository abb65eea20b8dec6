# SPDX-License-Identifier: Apache-2.0
"""What a symbol of an object says is used: demangled names to (function, element types, device). See manifest.py."""
import functools
import re

ELEMENTS = {"bool": "bool", "signed char": "int8", "unsigned char": "uint8", "short": "int16", "unsigned short": "uint16",
            "int": "int32", "unsigned int": "uint32", "long": "int64", "unsigned long": "uint64", "long long": "int64",
            "unsigned long long": "uint64", "float": "float", "double": "double", "situ::float16": "float16",
            "situ::bfloat16": "bfloat16", "situ::float8_e4m3fn": "float8_e4m3fn", "situ::float8_e5m2": "float8_e5m2",
            "std::complex<float>": "complex64", "std::complex<double>": "complex128"}
ELEMENT = "(" + "|".join(sorted(map(re.escape, ELEMENTS), key=len, reverse=True)) + ")"
# Devices, that of tests/scalar_device too, and how a Spread lies on several.
DEVICE = re.compile(r"\b(?:situ::(Cuda<\d+>|(?:Cpu|Pinned|Sharded|Replicated|Partial|Local)\b)|scalar_device::(Scalar\b))")
# A type of the library whose first argument is an element type: Tensor<float, Cpu>.
HOLDER = re.compile(rf"situ::[\w:]*<{ELEMENT}(?=[,>])")
CONDITIONS = {"Equal", "NotEqual", "Less", "LessEqual", "Greater", "GreaterEqual", "IsNan", "IsInf", "IsFinite", "IsClose"}
# What carries expressions and their parts: told of by their types alone, as what is internal but for three kinds.
CARRIERS = ["LazyUntilEval", "Pack", "make_pack", "FunctionRef", "Slot", "on_backend", "autograd::ExpressionGradients",
            "autograd::Operation", "autograd::Partial", "autograd::sweep"]
MANGLED = "|".join("".join(f"{len(word)}{word}" for word in name.split("::")) for name in CARRIERS)
INTERNAL = "8internal(?!11call_kernel|9operation|4cuda(?:15of_this_library)?(?:6launch|10run_kernel)I)"
NAMELESS = re.compile(f"_ZN[KRVO]*4situ(?:{INTERNAL}|{MANGLED})".encode())
TOKEN = re.compile(r"->|operator(?:\(\)|\[\]|<=>|<<=?|>>=?|<=?|>=?|->)|[<>(){}\[\],]")
# Within internal, settings have namespaces of their own (SITU_SETTINGS of core/config.hpp).
OF_THE_CPU = re.compile(r"situ::internal::(?:\w+::)*cpu::")
FUNCTOR = r"situ::internal::functional::(\w+)(?:<([^<>]*(?:<[^<>]*>)?)>)?"
LAZY = re.compile(rf"LazyUntilEval<{FUNCTOR}, (?:situ::internal::Scalar<[^<>]*(?:<\w+>)?>, )?situ::(Tensor|Variable)<{ELEMENT}, "
                  r"(?:situ|scalar_device)::(Cpu|Pinned|Cuda|Scalar)\b")
CALL = re.compile(rf"program::Call<{FUNCTOR}, {ELEMENT}, situ::internal::program::(?:Call<{FUNCTOR}, |\w+<){ELEMENT}(?=[,>])")
# What a kernel for several operations does.
COMPUTED = re.compile(r"situ::internal::(?:reduction|row|scattering|cuda::scans)::(\w+)")
DERIVATIVE = re.compile(rf"::sweep::derivative<[^<>]*{FUNCTOR}, {ELEMENT},")


def step(open_brackets, token):
    """Keeps the stack of open brackets. `<` and `>` between others may be operators: `(a)>(b)` closes nothing."""
    if token in "<([{":
        open_brackets.append(token)
    elif token != ">":
        while open_brackets and open_brackets.pop() not in "([{":
            pass
    elif open_brackets and open_brackets[-1] == "<":
        open_brackets.pop()


def arguments(text, begin):
    """What is between the `<` at `begin` and its `>`, split at commas."""
    stack, start, found = [], begin + 1, []
    for match in TOKEN.finditer(text, begin):
        token = match[0]
        if token == ",":
            if len(stack) == 1:
                found.append(text[start:match.start()].strip())
                start = match.end()
        elif len(token) == 1:
            step(stack, token)
            if not stack:
                return found + [text[start:match.start()].strip()]
    return found


def distinct(words):
    return ",".join(dict.fromkeys(words)) or "-"


@functools.lru_cache(1 << 16)
def operand(text):
    """The element types of what an operand is: of an expression, that of its value."""
    if text.startswith("situ::internal::Reads<"):
        return tuple(dict.fromkeys(found for one in arguments(text, text.index("<")) for found in operand(one)))
    if text.startswith("situ::LazyUntilEval<"):
        function, *operands = arguments(text, text.index("<"))
        cast = re.match(rf"situ::internal::functional::Cast<{ELEMENT}>$", function)
        if cast:
            return (ELEMENTS[cast[1]],)
        if function.rpartition("::")[2] in CONDITIONS:
            return ("bool",)
        if function.endswith("::Where"):
            operands = operands[1:]
        for one in sorted(operands, key=lambda one: "internal::Scalar<" in one[:24]):  # a number only where all are
            return operand(one)[:1]
    return tuple(dict.fromkeys(ELEMENTS[found] for found in HOLDER.findall(text)))


def elements(given):
    """Of template arguments: an element type that is named counts if it is the first."""
    found = []
    for argument in given:
        argument = re.sub(r"(?: const)?(?:&&?)?$", "", argument)
        if argument in ELEMENTS:
            found += [] if found else [ELEMENTS[argument]]
        else:
            found += operand(argument)
    return distinct(found)


def devices(text):
    found = list(dict.fromkeys(one or other for one, other in DEVICE.findall(text)))
    return ",".join(one.partition("<")[0] for one in found) or "-"


def declared(text):
    """(qualified name, template arguments of all its parts, text from the first of them on) of a demangled function of the library;
    None of anything else."""
    skeleton, stack, begin = "", [], 0  # the text without what is in brackets
    groups = []  # of template arguments: where they were in the skeleton, and are in the text
    for match in TOKEN.finditer(text):
        token = match[0]
        if len(token) > 1 or token == ",":
            continue
        if not stack:
            skeleton += text[begin:match.start()]
            if token == "(" and not skeleton.endswith(("decltype ", "decltype")) and not text.startswith("anonymous", match.end()):
                break
            if token == "<":
                groups.append((len(skeleton), match.start()))
        step(stack, token)
        begin = match.end()
    else:
        return None
    start = skeleton.rfind(" situ::") + 1
    if not skeleton.startswith("situ::", start):
        return None
    own = [index for place, index in groups if place >= start]
    given = [argument for index in own for argument in arguments(text, index)]
    return skeleton[start + len("situ::"):], given, text[min([match.start(), *own]):]


def expressions(text, device):
    """The functions of expressions, and of their gradients, that the types in a name have."""
    for function, option, kind, element, where in set(LAZY.findall(text)):
        if function == "Where":  # the first operand is the condition
            continue
        cast = [ELEMENTS[option]] if function == "Cast" else []
        yield ("gradient " if kind == "Variable" else "") + "functional::" + function, distinct([ELEMENTS[element], *cast]), where
    for function, _, element in DERIVATIVE.findall(text) if "::sweep::derivative<" in text else ():
        yield "gradient functional::" + function, ELEMENTS[element], "-"
    if device:
        for function, _, result, _, _, taken in set(CALL.findall(text)):
            types = [taken, result] if function == "Cast" else [result if function == "Where" else taken]
            yield "functional::" + function, distinct(ELEMENTS[one] for one in types), device


def kernel(kind):
    """Of the class of a kernel of the CUDA backend: its name, with that of what it computes, and its element types."""
    name = re.match(r"situ::internal::cuda::(?:detail::)?([\w:]+)", kind)
    if not name:
        return None
    own = arguments(kind, name.end()) if kind.startswith("<", name.end()) else []
    found = []
    for one in own:
        found += [ELEMENTS[one]] if one in ELEMENTS else operand(one)
    computed = COMPUTED.search(kind)
    return name[1] + (f"<{computed[1]}>" if computed else ""), distinct(found)


def tells(symbol):
    """Whether `used` can give something for a symbol. Most need not be demangled."""
    return b"10functional" in symbol or not NAMELESS.match(symbol)


def used(symbol, text):
    """The (function, element types, device) that a symbol tells of; `text` is its demangled name."""
    cuda = "situ::internal::cuda::" in text
    if "situ::internal::functional::" in text:
        yield from expressions(text, "Cuda" if cuda else "Cpu" if OF_THE_CPU.search(text) else None)
    found = None if NAMELESS.match(symbol) else declared(text)
    if not found:
        return
    name, given, rest = found
    parts = name.strip().split("::")
    if name.startswith("internal::call_kernel"):
        yield "kernel " + re.sub(r"<.*", "", given[1]).rpartition("::")[2], elements(given[4:]), devices(given[0])
    elif cuda and parts[-1] in ("launch", "run_kernel") and given:
        if one := kernel(given[0]):
            yield "cuda::" + one[0], one[1], "Cuda"
    elif parts[:2] == ["autograd", "Applied"]:
        if operation := re.match(r"situ::internal::operation::(\w+)", given[0]):
            yield "gradient operation::" + operation[1], elements(given[1:2]), devices(given[2])
    elif parts[0] == "internal":  # an operation
        if parts[-1] == "operator()":
            yield "::".join(parts[1:-1]), elements(given), devices(rest)
    elif not parts[-1].startswith("~") and "detail" not in parts:
        yield "::".join(parts), elements(given), devices(rest)
