"""Adding one op to a random graph. Each function picks values that the op takes, or
adds nothing."""

import numpy as np

from generate import FLOATS, INTS, MOST_ELEMENTS, Generator, Val

NUMBERS = FLOATS + INTS


def is_float(v: Val) -> bool:
    return v.dtype in FLOATS


def is_number(v: Val) -> bool:
    return v.dtype in NUMBERS


def any_axis(g: Generator, v: Val) -> int:
    axis = g.random.randrange(v.rank)
    return axis - v.rank if g.random.random() < 0.4 else axis


def broadcastable(g: Generator, a: Val, dtype) -> Val:
    """A value that broadcasts with `a`: one of the graph, or new."""

    def fits(b):
        try:
            shape = np.broadcast_shapes(a.shape, b.shape)
        except ValueError:
            return False
        return b.dtype == dtype and int(np.prod(shape)) <= MOST_ELEMENTS

    if g.random.random() < 0.6:
        if found := g.pick(fits, recent=False):
            return found
    shape = tuple(1 if g.random.random() < 0.3 else s for s in a.shape[g.random.randint(0, a.rank) :])
    return g.constant(g.array(dtype, shape))


def unary(g):
    op, test, exact = g.random.choice(
        [(o, is_float, False) for o in ("Tanh", "Sigmoid", "Erf", "Softplus", "Elu", "Sin", "Cos", "Selu", "HardSwish", "Mish")]
        + [(o, is_number, True) for o in ("Neg", "Abs", "Sign")]
        + [("Relu", is_float, True), ("LeakyRelu", is_float, False), ("Identity", lambda v: True, True)]
        + [("Not", lambda v: v.dtype == np.bool_, True)]
    )
    v = g.pick(test)
    # Sign jumps at zero.
    if v and (op != "Sign" or v.exact):
        g.emit(op, [v], v.shape, v.dtype, exact and v.exact)


def guarded(g):
    """Exp, Sqrt, Log and Reciprocal where they are tame."""
    v = g.pick(is_float)
    if not v:
        return
    dtype = v.dtype
    constant = lambda x: g.constant(np.array(x, dtype)).name
    kind = g.random.randrange(4)
    if kind == 0:
        low, high = constant(-3), constant(3)
        tame = g.emit("Clip", [v, low, high], v.shape, dtype, v.exact)
        g.emit("Exp", [tame], v.shape, dtype, False)
        return
    absolute = g.emit("Abs", [v], v.shape, dtype, v.exact)
    above = g.emit("Add", [absolute, constant(0.5)], v.shape, dtype, False)
    g.emit(("Sqrt", "Log", "Reciprocal")[kind - 1], [above], v.shape, dtype, False)


def binary(g):
    op = g.random.choice(("Add", "Sub", "Mul", "Max", "Min"))
    a = g.pick(is_number)
    if not a:
        return
    b = broadcastable(g, a, a.dtype)
    # Products of integers stay far from overflow only for a while.
    exact = a.exact and b.exact and (a.dtype in INTS or op in ("Max", "Min"))
    if g.random.random() < 0.5:
        a, b = b, a
    g.emit(op, [a, b], np.broadcast_shapes(a.shape, b.shape), a.dtype, exact)


def compare(g):
    op = g.random.choice(("Greater", "Less", "GreaterOrEqual", "LessOrEqual", "Equal"))
    a = g.pick(lambda v: is_number(v) and v.exact)
    if not a:
        return
    b = broadcastable(g, a, a.dtype)
    if b.exact:
        g.emit(op, [a, b], np.broadcast_shapes(a.shape, b.shape), np.bool_, True)


def logical(g):
    a = g.pick(lambda v: v.dtype == np.bool_)
    if a:
        b = broadcastable(g, a, np.bool_)
        shape = np.broadcast_shapes(a.shape, b.shape)
        g.emit(g.random.choice(("And", "Or", "Xor")), [a, b], shape, np.bool_, True)


def where(g):
    c = g.pick(lambda v: v.dtype == np.bool_)
    if not c:
        return
    dtype = g.random.choice((np.float32, np.int64))
    a = broadcastable(g, c, dtype)
    partial = Val("", dtype, np.broadcast_shapes(a.shape, c.shape))
    b = broadcastable(g, partial, dtype)
    shape = np.broadcast_shapes(partial.shape, b.shape)
    g.emit("Where", [c, a, b], shape, dtype, a.exact and b.exact)


def cast(g):
    v = g.pick(lambda v: v.exact)
    to = g.random.choice(NUMBERS + (np.bool_,))
    if v and v.dtype != to:
        from onnx import helper

        exact = not (to in FLOATS and is_float(v))
        g.emit("Cast", [v], v.shape, to, exact, to=helper.np_dtype_to_tensor_dtype(np.dtype(to)))


def matmul(g):
    a = g.pick(lambda v: is_float(v) and v.rank >= 1)
    if not a:
        return
    k = a.shape[-1]
    b = g.pick(lambda v: v.dtype == a.dtype and v.rank == 2 and v.shape[0] == k, recent=False)
    if not b or g.random.random() < 0.5:
        b = g.constant(g.array(a.dtype, (k, g.random.choice((1, 3, 8, 16, 19)))))
    shape = a.shape[:-1] + (b.shape[1],)
    if int(np.prod(shape)) <= MOST_ELEMENTS:
        g.emit("MatMul", [a, b], shape, a.dtype, False)


def convolution(g):
    v = g.pick(lambda v: v.dtype == np.float32 and v.rank in (3, 4) and v.size > 0)
    if not v:
        return
    n, c, *spatial = v.shape
    group = c if g.random.random() < 0.2 else 1
    m = c * g.random.choice((1, 2)) if group > 1 else g.random.choice((1, 4, 7))
    kernel = [g.random.choice((1, 2, 3)) for _ in spatial]
    pads = [g.random.choice((0, 1)) for _ in spatial] * 2
    strides = [g.random.choice((1, 1, 2)) for _ in spatial]
    half = len(spatial)
    out = [(s + pads[i] + pads[half + i] - kernel[i]) // strides[i] + 1 for i, s in enumerate(spatial)]
    if min(out) < 1 or n * m * int(np.prod(out)) > MOST_ELEMENTS:
        return
    attributes = dict(kernel_shape=kernel, pads=pads, strides=strides)
    kind = g.random.random()
    if kind < 0.6:
        w = g.constant(g.array(np.float32, (m, c // group, *kernel)))
        inputs = [v, w] + ([g.constant(g.array(np.float32, (m,)))] if kind < 0.3 else [])
        g.emit("Conv", inputs, (n, m, *out), np.float32, False, group=group, **attributes)
    elif all(p < k for p, k in zip(pads, kernel)):
        op = "MaxPool" if kind < 0.8 else "AveragePool"
        g.emit(op, [v], (n, c, *out), np.float32, v.exact and op == "MaxPool", **attributes)


def transpose(g):
    v = g.pick(lambda v: v.rank >= 2)
    if v:
        perm = g.random.sample(range(v.rank), v.rank)
        g.emit("Transpose", [v], [v.shape[p] for p in perm], v.dtype, v.exact, perm=perm)


def reshape(g):
    v = g.pick()
    if not v:
        return
    sizes, rest = [], v.size
    for _ in range(g.random.randint(0, 3)):
        factors = [f for f in (1, 2, 3, 4, 5, 7, 8) if rest % f == 0] if rest else [1]
        sizes.append(g.random.choice(factors))
        rest //= sizes[-1]
    sizes.insert(g.random.randint(0, len(sizes)), rest)
    target = list(sizes)
    if v.size and g.random.random() < 0.5:
        target[g.random.randrange(len(target))] = -1
    g.emit("Reshape", [v, g.ints(*target)], sizes, v.dtype, v.exact, allowzero=1)


def reshape_by_shape(g):
    """Swaps two dimensions' sizes by arithmetic on Shape, as exporters do."""
    v = g.pick(lambda v: v.rank >= 2 and v.size > 0)
    if not v:
        return
    shape = g.emit("Shape", [v], (v.rank,), np.int64, True)
    order = g.random.sample(range(v.rank), v.rank)
    parts = []
    for axis in order:
        size = g.emit("Gather", [shape, g.ints(axis)], (1,), np.int64, True, axis=0)
        parts.append(size)
    target = g.emit("Concat", parts, (v.rank,), np.int64, True, axis=0)
    g.emit("Reshape", [v, target], [v.shape[a] for a in order], v.dtype, v.exact)


def squeeze(g):
    v = g.pick(lambda v: v.rank < 5)
    if not v:
        return
    ones = [i for i, s in enumerate(v.shape) if s == 1]
    if ones and g.random.random() < 0.5:
        axis = g.random.choice(ones)
        shape = v.shape[:axis] + v.shape[axis + 1 :]
        g.emit("Squeeze", [v, g.ints(axis)], shape, v.dtype, v.exact)
    else:
        axis = g.random.randint(0, v.rank)
        g.emit("Unsqueeze", [v, g.ints(axis)], v.shape[:axis] + (1,) + v.shape[axis:], v.dtype, v.exact)


def concat(g):
    v = g.pick(lambda v: v.rank >= 1)
    if not v:
        return
    axis = any_axis(g, v)
    at = axis % v.rank
    outside = lambda s: s[:at] + s[at + 1 :]
    others = [w for w in g.values if w.rank == v.rank and w.dtype == v.dtype and outside(w.shape) == outside(v.shape)]
    parts = g.random.choices(others, k=g.random.randint(1, 3))
    total = sum(p.shape[at] for p in parts)
    shape = v.shape[:at] + (total,) + v.shape[at + 1 :]
    if int(np.prod(shape)) <= MOST_ELEMENTS:
        g.emit("Concat", parts, shape, v.dtype, all(p.exact for p in parts), axis=axis)


def split(g):
    v = g.pick(lambda v: v.rank >= 1 and max(v.shape) >= 2)
    if not v:
        return
    axis = g.random.choice([i for i, s in enumerate(v.shape) if s >= 2])
    first = g.random.randint(0, v.shape[axis])
    sizes = [first, v.shape[axis] - first]
    shapes = [v.shape[:axis] + (s,) + v.shape[axis + 1 :] for s in sizes]
    g.emit("Split", [v, g.ints(*sizes)], shapes, v.dtype, v.exact, outputs=2, axis=axis)


def slice_(g):
    v = g.pick(lambda v: v.rank >= 1)
    if not v:
        return
    axis = any_axis(g, v)
    size = v.shape[axis]
    bound = lambda: g.random.choice((0, 1, -1, 2, -2, size, -size, size + 3, 2**31 - 1, -(2**31), 2**63 - 1))
    start, end, step = bound(), bound(), g.random.choice((1, 1, 2, -1, -2, 3))
    # Clamped as any other end, says ONNX, which leaves nothing; onnxruntime takes it for
    # "all" in both directions.
    if step < 0 and end >= 2**31 - 1:
        end = -(2**31)
    taken = len(range(size)[slice(start, end, step)])
    shape = list(v.shape)
    shape[axis] = taken
    inputs = [v, g.ints(start), g.ints(end), g.ints(axis), g.ints(step)]
    g.emit("Slice", inputs, shape, v.dtype, v.exact)


def gather(g):
    v = g.pick(lambda v: v.rank >= 1 and min(v.shape) > 0)
    if not v:
        return
    axis = any_axis(g, v)
    size = v.shape[axis]
    shape = tuple(g.random.choice((1, 2, 3)) for _ in range(g.random.randint(0, 2)))
    index = g.constant(g.numbers.integers(-size, size, shape).astype(g.random.choice(INTS)))
    at = axis % v.rank
    out = v.shape[:at] + shape + v.shape[at + 1 :]
    if int(np.prod(out)) <= MOST_ELEMENTS:
        g.emit("Gather", [v, index], out, v.dtype, v.exact, axis=axis)


def expand(g):
    v = g.pick()
    if not v:
        return
    shape = tuple(g.random.choice((2, 3)) if s == 1 and g.random.random() < 0.7 else s for s in v.shape)
    shape = (g.random.choice((1, 2)),) * g.random.randint(0, 1) + shape
    if int(np.prod(shape)) <= MOST_ELEMENTS:
        target = [1 if g.random.random() < 0.3 and len(shape) == v.rank else s for s in shape]
        out = np.broadcast_shapes(v.shape, tuple(target))
        g.emit("Expand", [v, g.ints(*target)], out, v.dtype, v.exact)


def tile(g):
    v = g.pick(lambda v: v.rank >= 1)
    if not v:
        return
    repeats = [g.random.choice((1, 1, 2, 3, 0 if g.random.random() < 0.1 else 1)) for _ in v.shape]
    shape = [s * r for s, r in zip(v.shape, repeats)]
    if int(np.prod(shape)) <= MOST_ELEMENTS:
        g.emit("Tile", [v, g.ints(*repeats)], shape, v.dtype, v.exact)


def pad(g):
    v = g.pick(lambda v: is_number(v) and v.rank >= 1 and v.size > 0)
    if not v:
        return
    mode = g.random.choice(("constant", "edge", "reflect"))
    most = lambda s: min(2, s - 1) if mode == "reflect" else 2
    low = [g.random.randint(0, most(s)) for s in v.shape]
    high = [g.random.randint(0, most(s)) for s in v.shape]
    shape = [s + a + b for s, a, b in zip(v.shape, low, high)]
    inputs = [v, g.ints(*low, *high)]
    if mode == "constant":
        inputs.append(g.constant(np.array(3, v.dtype)))
    if int(np.prod(shape)) <= MOST_ELEMENTS:
        g.emit("Pad", inputs, shape, v.dtype, v.exact, mode=mode)


def reduce(g):
    v = g.pick(lambda v: is_number(v) and v.rank >= 1)
    if not v:
        return
    axes = g.random.sample(range(v.rank), g.random.randint(1, v.rank))
    empty = any(v.shape[a] == 0 for a in axes)
    op = g.random.choice(("ReduceSum",) if empty else ("ReduceSum", "ReduceMax", "ReduceMin", "ReduceMean", "ReduceL2", "ReduceSumSquare"))
    if not is_float(v) and op in ("ReduceMean", "ReduceL2", "ReduceSumSquare"):
        return
    keep = g.random.randint(0, 1)
    shape = [1 if i in axes else s for i, s in enumerate(v.shape) if keep or i not in axes]
    exact = v.exact and (op in ("ReduceMax", "ReduceMin") or v.dtype in INTS)
    g.emit(op, [v, g.ints(*(a - v.rank if g.random.random() < 0.3 else a for a in axes))], shape, v.dtype, exact, keepdims=keep)


def normalize(g):
    v = g.pick(lambda v: v.dtype == np.float32 and v.rank >= 1 and v.shape[-1] > 1)
    if not v:
        return
    if g.random.random() < 0.6:
        op = g.random.choice(("Softmax", "LogSoftmax"))
        axis = any_axis(g, v)
        g.emit(op, [v], v.shape, v.dtype, False, axis=axis)
    else:
        scale = g.constant(g.array(np.float32, v.shape[-1:]))
        # Far from 0/0 on a row of equal numbers.
        g.emit("LayerNormalization", [v, scale], v.shape, v.dtype, False, axis=-1, epsilon=0.1)


def arg(g):
    v = g.pick(lambda v: is_number(v) and v.exact and v.rank >= 1 and v.size > 0)
    if not v:
        return
    axis = any_axis(g, v)
    keep = g.random.randint(0, 1)
    shape = list(v.shape)
    shape[axis] = 1
    if not keep:
        del shape[axis]
    g.emit(g.random.choice(("ArgMax", "ArgMin")), [v], shape, np.int64, True, axis=axis, keepdims=keep)


def cumsum(g):
    v = g.pick(lambda v: is_number(v) and v.rank >= 1)
    if v:
        axis = g.constant(np.array(any_axis(g, v), np.int64))
        attributes = dict(exclusive=g.random.randint(0, 1), reverse=g.random.randint(0, 1))
        g.emit("CumSum", [v, axis], v.shape, v.dtype, v.exact and v.dtype in INTS, **attributes)


def trilu(g):
    v = g.pick(lambda v: v.dtype in (np.float32, np.float64, np.int64) and v.rank >= 2)
    if v:
        k = g.constant(np.array(g.random.randint(-3, 3), np.int64))
        g.emit("Trilu", [v, k], v.shape, v.dtype, v.exact, upper=g.random.randint(0, 1))


def gather_elements(g):
    v = g.pick(lambda v: v.rank >= 1 and v.size > 0)
    if v:
        axis = any_axis(g, v)
        size = v.shape[axis]
        index = g.constant(g.numbers.integers(-size, size, v.shape))
        g.emit("GatherElements", [v, index], v.shape, v.dtype, v.exact, axis=axis)


def clip(g):
    v = g.pick(is_number)
    if v:
        bounds = [g.constant(np.array(-1, v.dtype)), g.constant(np.array(2, v.dtype))]
        if g.random.random() < 0.3:
            bounds[0] = ""
        g.emit("Clip", [v, *bounds], v.shape, v.dtype, v.exact)


def new_input(g):
    if len(g.graph.inputs) < 5:
        g.input()


ALL = [
    unary, unary, guarded, binary, binary, binary, compare, logical, where, cast, matmul,
    matmul, convolution, convolution, transpose, reshape, reshape_by_shape, squeeze, concat,
    split, slice_, gather, expand, tile, pad, reduce, reduce, normalize, arg, cumsum, trilu,
    gather_elements, clip, new_input,
]
