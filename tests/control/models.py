"""Models with control flow, recurrent layers and sizes that only the run knows, and
what to run each with: the name of each model, its text and a list of inputs."""

import numpy as np

RANDOM = np.random.default_rng(5)


def uniform(*shape: int) -> np.ndarray:
    return RANDOM.uniform(-1, 1, shape).astype(np.float32)


def ints(*values) -> np.ndarray:
    return np.array(values, np.int64)


def scalar(value) -> np.ndarray:
    kind = np.bool_ if isinstance(value, bool) else np.int64
    return np.array(value, kind)


HEADER = '<ir_version: 8, opset_import: ["" : 17]>'

# Branch weights and the captured activation meet in both branches.
IF_CAPTURES = """
captures (float[n, 4] x, bool c, float[4, 3] w, float[4, 3] v) => (float[n, 3] y) {
  h = Relu(x)
  z = If(c) <
    then_branch = then_graph () => (float[n, 3] a) { a = MatMul(h, w) },
    else_branch = else_graph () => (float[n, 3] b) { t = Add(h, h) b = MatMul(t, v) }>
  y = Neg(z)
}"""

IF_SIZES = """
sizes (float[n, 3] x, bool c) => (float[m, 3] y, int64[2] shape) <int64[1] zero = {0}, int64[1] two = {2}> {
  z = If(c) <
    then_branch = then_graph () => (float[p, 3] a) { a = Slice(x, zero, two) },
    else_branch = else_graph () => (float[q, 3] b) { b = Concat<axis = 0>(x, x) }>
  y = Mul(z, z)
  shape = Shape(z)
}"""

# Either branch gives what exists already.
IF_PASSES = """
passes (float[n] x, float[n] y, bool c) => (float[n] a, float[n] b) {
  a, b = If(c) <
    then_branch = then_graph () => (float[n] p, float[n] q) { p = Identity(x) q = Identity(y) },
    else_branch = else_graph () => (float[n] r, float[n] s) { r = Identity(y) s = Identity(x) }>
}"""

IF_IN_LOOP = """
nested (float[n, 3] x, int64 trips, float limit) => (float[n, 3] y, float[k] sums) <float two = {2.0}, bool yes = {1}> {
  h = Mul(x, two)
  y, sums = Loop(trips, yes, x) <body = step (int64 i, bool c, float[n, 3] s)
      => (bool more, float[n, 3] t, float total) {
    total = ReduceSum<keepdims = 0>(s)
    big = Greater(total, limit)
    t = If(big) <
      then_branch = shrink () => (float[n, 3] a) {
        even = Not(c)
        a = If(even) <
          then_branch = never () => (float[n, 3] e) { e = Neg(h) },
          else_branch = always () => (float[n, 3] f) { g = Sub(s, h) f = Div(g, two) }>
      },
      else_branch = grow () => (float[n, 3] b) { b = Add(s, h) }>
    more = Identity(c)
  }>
}"""

# The classes of carried values: state, captured factor and offset.
LOOP_STATE = """
state (float[n] x, float[n] s0, float k) => (float[n] s, float[3, n] all) <int64 three = {3}, bool yes = {1}> {
  h = Relu(x)
  s, all = Loop(three, yes, s0) <body = step (int64 i, bool c, float[n] a)
      => (bool more, float[n] b, float[n] d) {
    m = Mul(a, k)
    b = Add(m, h)
    d = Identity(b)
    more = Identity(c)
  }>
}"""

# Rounding that the model asks for stays where it is, iteration by iteration.
LOOP_CASTS = """
casts (float[n] x, int64 trips) => (float[n] y) <bool yes = {1}> {
  y = Loop(trips, yes, x) <body = step (int64 i, bool c, float[n] a) => (bool more, float[n] b) {
    half = Cast<to = 10>(a)
    wide = Cast<to = 1>(half)
    b = Add(wide, x)
    more = Identity(c)
  }>
}"""

LOOP_TRADES = """
trades (float[n] x, float[n] y, int64 trips) => (float[n] a, float[n] b) <bool yes = {1}> {
  a, b = Loop(trips, yes, x, y) <body = step (int64 i, bool c, float[n] p, float[n] q)
      => (bool more, float[n] r, float[n] s) {
    r = Identity(q)
    s = Identity(p)
    more = Identity(c)
  }>
}"""

LOOP_GROWS = """
grows (float[n, 2] x, int64 trips) => (float[m, 2] y, int64[k] sizes) <bool yes = {1}, int64 zero = {0}> {
  y, sizes = Loop(trips, yes, x) <body = step (int64 i, bool c, float[a, 2] s)
      => (bool more, float[b, 2] t, int64 size) {
    t = Concat<axis = 0>(s, x)
    shape = Shape(t)
    size = Gather<axis = 0>(shape, zero)
    more = Identity(c)
  }>
}"""

# A size that is constant before the loop only.
LOOP_GROWS_FROM_ONE = """
longer (float[1, 2] x, int64 trips) => (float[m, 2] y) <bool yes = {1}> {
  y = Loop(trips, yes, x) <body = step (int64 i, bool c, float[a, 2] s) => (bool more, float[b, 2] t) {
    t = Concat<axis = 0>(s, x)
    more = Identity(c)
  }>
}"""

# Ends by what it computes; its outputs' length is known then only.
LOOP_WHILE = """
search (float x, float limit) => (float y, float[k] seen, int64 count)
    <float one = {1.0}, int64 none = {0}, int64 step_ = {1}> {
  first = Less(x, limit)
  y, count, seen = Loop("", first, x, none) <body = step (int64 i, bool c, float a, int64 n)
      => (bool more, float b, int64 m, float was) {
    b = Add(a, one)
    m = Add(n, step_)
    was = Identity(a)
    more = Less(b, limit)
  }>
}"""

LOOP_BOTH = """
both (float[n] x, int64 trips, bool first, float limit) => (float[n] y, float[k, n] seen) {
  y, seen = Loop(trips, first, x) <body = step (int64 i, bool c, float[n] a)
      => (bool more, float[n] b, float[n] d) {
    b = Add(a, a)
    d = Identity(b)
    top = ReduceMax<keepdims = 0>(b)
    more = Less(top, limit)
  }>
}"""

# Elements whose size the body computes, the same each time.
LOOP_SCANS_SIZES = """
scans (float[n] x, int64 trips) => (float[k, m] y) <bool yes = {1}> {
  y = Loop(trips, yes) <body = step (int64 i, bool c) => (bool more, float[m] e) {
    where = NonZero(x)
    axis = Constant<value_ints = [0]>()
    flat = Squeeze(where, axis)
    e = Gather<axis = 0>(x, flat)
    more = Identity(c)
  }>
}"""

# Elements of one, two, ... numbers: no tensor holds them.
LOOP_RAGGED = """
ragged (float[n] x, int64 trips) => (float[k, m] y) <bool yes = {1}, int64[1] zero = {0}, int64[1] one = {1}> {
  y = Loop(trips, yes) <body = step (int64 i, bool c) => (bool more, float[m] e) {
    number = Reshape(i, one)
    end = Add(number, one)
    e = Slice(x, zero, end)
    more = Identity(c)
  }>
}"""

# A dimension that the compiler could not know to be one.
SQUEEZE = """
squeeze (float[n, 3] x) => (float[n, 3] y) { y = Squeeze(x) }"""

# How exporters write Squeeze where they do not know whether there is something to
# remove: what follows wants the lower rank.
SQUEEZE_IF = """
squeeze (float[n, 3] x) => (float[m] y) <int64 none = {0}, int64 one = {1}, int64[1] first = {0}> {
  shape = Shape(x)
  size = Gather(shape, none)
  test = Equal(size, one)
  y = If(test) <
    then_branch = gone () => (float[p] a) { a = Squeeze(x, first) },
    else_branch = kept () => (float[q, r] b) { b = Identity(x) }>
}"""

LOOP_IN_LOOP = """
loops (float[n] x, int64 outer, int64 inner) => (float[n] y) <bool yes = {1}> {
  y = Loop(outer, yes, x) <body = step (int64 i, bool c, float[n] a) => (bool more, float[n] b) {
    b = Loop(inner, c, a) <body = inside (int64 j, bool d, float[n] e) => (bool on, float[n] f) {
      g = Mul(e, x)
      f = Add(g, a)
      on = Identity(d)
    }>
    more = Identity(c)
  }>
}"""

SCAN_AXES = """
axes (float[b, h] s0, float[b, t, h] x, float[t, h] z) => (float[b, h] s, float[b, t, h] y, float[t, b, h] w) {
  s, y, w = Scan<num_scan_inputs = 2, scan_input_axes = [1, 0], scan_input_directions = [0, 1],
                 scan_output_axes = [1, 0], scan_output_directions = [0, 1],
                 body = step (float[b, h] a, float[b, h] e, float[h] f)
      => (float[b, h] c, float[b, h] d, float[b, h] g) {
    p = Mul(a, f)
    c = Add(p, e)
    d = Identity(c)
    g = Neg(c)
  }>(s0, x, z)
}"""

SEQUENCES = """
sequences (float[4, n] x, float[n] z) => (float[m, n] y, int64 length) <int64 last = {-1}> {
  parts = SplitToSequence<axis = 0, keepdims = 0>(x)
  doubled = SequenceMap(parts, z) <body = each (float[n] e, float[n] w) => (float[n] f) { f = Add(e, w) }>
  more = SequenceInsert(doubled, z)
  fewer = SequenceErase(more, last)
  again = SequenceInsert(fewer, z)
  length = SequenceLength(again)
  y = ConcatFromSequence<axis = 0, new_axis = 1>(again)
}"""

SEQUENCE_IN_LOOP = """
stack (float[n] x) => (float[m, n] y) <int64 five = {5}, bool yes = {1}> {
  empty = SequenceEmpty()
  all, last = Loop(five, yes, empty, x) <body = step (int64 i, bool c, seq(float[n]) s, float[n] a)
      => (bool more, seq(float[n]) t, float[n] b) {
    b = Add(a, x)
    t = SequenceInsert(s, b)
    more = Identity(c)
  }>
  y = ConcatFromSequence<axis = 0, new_axis = 1>(all)
}"""

NONZERO = """
positions (float[n, m] x, float[n, m] z) => (int64[2, k] p, float[k] v, float[k, 2] r, int64[k] range, float[k] tiled)
    <int64 one = {1}, int64 zero = {0}, int64[1] ones = {1}> {
  p = NonZero(x)
  t = Transpose(p)
  v = GatherND(z, t)
  shape = Shape(v)
  two = Constant<value_ints = [2]>()
  wide = Concat<axis = 0>(shape, two)
  column = Unsqueeze(v, ones)
  r = Expand(column, wide)
  count = Gather<axis = 0>(shape, zero)
  range = Range(zero, count, one)
  head = Constant<value_ints = [0]>()
  half = Constant<value_float = 0.5>()
  filled = ConstantOfShape(shape)
  tiled = Add(filled, half)
}"""

# Sizes that kernels compute.
COMPUTED_SIZES = """
computed (float[n] x, int64[k] counts) => (int64[a] r, float[b] filled, float[c] tiled, float[d] cut, float[e, f] wide,
                                           float[g, h] shaped)
    <int64 zero = {0}, int64 one = {1}, int64[1] first = {0}, int64[1] minus = {-1}> {
  total = ReduceSum<keepdims = 0>(counts)
  most = ReduceMax<keepdims = 0>(counts)
  r = Range(zero, total, one)
  size = Unsqueeze(total, first)
  times = Unsqueeze(most, first)
  filled = ConstantOfShape(size)
  tiled = Tile(x, times)
  cut = Slice(x, first, times)
  shape = Shape(x)
  both = Concat<axis = 0>(size, shape)
  wide = Expand(x, both)
  rows = Concat<axis = 0>(times, minus)
  shaped = Reshape(tiled, rows)
}"""

COMPRESS = """
picks (float[n, m] x, bool[n] c) => (float[k, m] rows, float[j] flat) {
  rows = Compress<axis = 0>(x, c)
  flat = Compress(x, c)
}"""

UNIQUE = """
groups (float[n] x, int64[n, 2] z) => (float[a] y, int64[a] first, int64[n] inverse, int64[a] counts,
                                       float[b] seen, int64[b] order, int64[c, 2] rows, int64[n] which) {
  y, first, inverse, counts = Unique(x)
  seen, order = Unique<sorted = 0>(x)
  rows, at, which = Unique<axis = 0>(z)
}"""

SUPPRESS = """
detect (float[b, n, 4] boxes, float[b, c, n] scores, int64 most, float overlap, float least) => (int64[k, 3] kept) {
  kept = NonMaxSuppression(boxes, scores, most, overlap, least)
}"""


def recurrent(op: str, gates: int, hidden: int, inputs: int, direction="forward", attributes="",
              lengths=False, states=False, peephole=False, bias=True) -> str:
    """A layer of fixed weights' sizes over any number of steps and any batch."""
    d = 2 if direction == "bidirectional" else 1
    lstm = op == "LSTM"
    arguments = [f"float[t, b, {inputs}] x", f"float[{d}, {gates * hidden}, {inputs}] w",
                 f"float[{d}, {gates * hidden}, {hidden}] r"]
    names = ["x", "w", "r"]

    def add(wanted, kind, name):
        names.append(name if wanted else '""')
        if wanted:
            arguments.append(f"{kind} {name}")

    add(bias, f"float[{d}, {2 * gates * hidden}]", "bias")
    add(lengths, "int32[b]", "lengths")
    add(states, f"float[{d}, b, {hidden}]", "h0")
    if lstm:
        add(states, f"float[{d}, b, {hidden}]", "c0")
        add(peephole, f"float[{d}, {3 * hidden}]", "p")
    while names[-1] == '""':
        names.pop()
    results = "y, yh, yc" if lstm else "y, yh"
    outputs = f"float[t, {d}, b, {hidden}] y, float[{d}, b, {hidden}] yh"
    if lstm:
        outputs += f", float[{d}, b, {hidden}] yc"
    return f"""
layer ({', '.join(arguments)}) => ({outputs}) {{
  {results} = {op}<hidden_size = {hidden}, direction = "{direction}"{attributes}>({', '.join(names)})
}}"""


def layer_inputs(gates: int, hidden: int, inputs: int, t: int, b: int, d=1, lengths=False, states=0,
                 peephole=False, bias=True) -> list:
    scale = np.float32(1 / np.sqrt(hidden))
    values = [uniform(t, b, inputs), uniform(d, gates * hidden, inputs) * scale,
              uniform(d, gates * hidden, hidden) * scale]
    if bias:
        values.append(uniform(d, 2 * gates * hidden) * scale)
    if lengths:
        values.append(RANDOM.integers(1, max(t, 1) + 1, b).astype(np.int32))
    values += [uniform(d, b, hidden) for _ in range(states)]
    if peephole:
        values.append(uniform(d, 3 * hidden))
    return values


STEPS = [(1, 1), (2, 3), (7, 1), (5, 4)]


def layers(op: str, gates: int, states: int):
    def case(name, sizes=STEPS, hidden=6, inputs=5, d=1, attributes="", **options):
        direction = {1: "forward", 2: "bidirectional"}[d]
        if "reverse" in name:
            direction = "reverse"
        text = recurrent(op, gates, hidden, inputs, direction, attributes, **options)
        options = dict(options)
        options["states"] = states if options.pop("states", False) else 0
        return (f"{op} {name}", text,
                [layer_inputs(gates, hidden, inputs, t, b, d, **options) for t, b in sizes])

    yield case("plain", bias=False)
    yield case("reverse", states=True)
    yield case("both ways", d=2, states=True)
    yield case("lengths", lengths=True, states=True)
    yield case("reverse with lengths", lengths=True)
    yield case("both ways with lengths", d=2, lengths=True, states=True)
    yield case("clip", attributes=", clip = 0.3")
    yield case("large", sizes=[(100, 2), (3, 9)], hidden=256, inputs=64, states=True)


def cases():
    x = uniform
    yes, no = scalar(True), scalar(False)
    f = lambda value: np.array(value, np.float32)  # noqa: E731
    yield "if captures", IF_CAPTURES, [[x(n, 4), c, x(4, 3), x(4, 3)] for n in (0, 1, 5) for c in (yes, no)]
    yield "if sizes", IF_SIZES, [[x(n, 3), c] for n in (0, 1, 2, 7) for c in (yes, no)]
    yield "if passes", IF_PASSES, [[x(n), x(n), c] for n in (0, 3) for c in (yes, no)]
    yield "if in loop", IF_IN_LOOP, [[x(n, 3), scalar(t), f(0.5)] for n in (1, 4) for t in (0, 1, 9)]
    yield "loop state", LOOP_STATE, [[x(n), x(n), f(0.75)] for n in (0, 1, 5)]
    yield "loop casts", LOOP_CASTS, [[f([1e-12, 123456.7, 1 / 3, 0.1]), scalar(t)] for t in (0, 1, 3)]
    yield "loop trades", LOOP_TRADES, [[x(n), x(n), scalar(t)] for n in (0, 3) for t in (0, 1, 2, 5)]
    yield "loop grows", LOOP_GROWS, [[x(n, 2), scalar(t)] for n in (0, 1, 3) for t in (0, 1, 6)]
    yield "loop grows from one", LOOP_GROWS_FROM_ONE, [[x(1, 2), scalar(t)] for t in (0, 1, 6)]
    yield "loop while", LOOP_WHILE, [[f(0.5), f(limit)] for limit in (0, 1, 5, 40)]
    yield "loop both", LOOP_BOTH, [
        [x(3) + 2, scalar(t), c, f(100)] for t in (0, 2, 30) for c in (yes, no)]
    yield "loop scans sizes", LOOP_SCANS_SIZES, [
        [f([1, 0, 2, 3, 0]), scalar(t)] for t in (1, 4, 40)]
    yield "loop in loop", LOOP_IN_LOOP, [
        [x(n), scalar(t), scalar(u)] for n in (0, 4) for t in (0, 3) for u in (0, 2)]
    yield "scan axes", SCAN_AXES, [
        [x(b, 3), x(b, t, 3), x(t, 3)] for b in (1, 2) for t in (1, 2, 6)]
    yield "sequences", SEQUENCES, [[x(4, n), x(n)] for n in (1, 5)]
    yield "sequence in loop", SEQUENCE_IN_LOOP, [[x(n)] for n in (1, 5)]
    mask = lambda n, m: (RANDOM.integers(0, 2, (n, m)) * 1.5).astype(np.float32)  # noqa: E731
    yield "nonzero", NONZERO, [[mask(n, m), x(n, m)] for n in (1, 4) for m in (0, 1, 33)]
    yield "computed sizes", COMPUTED_SIZES, [
        [x(n), ints(*counts)] for n in (1, 4) for counts in ([1], [0, 3], [2, 1, 2])]
    yield "compress", COMPRESS, [
        [x(n, 3), RANDOM.integers(0, 2, n).astype(bool)] for n in (1, 2, 50)]
    repeated = lambda n: (RANDOM.integers(0, max(n // 2, 1), n) / 4).astype(np.float32)  # noqa: E731
    yield "unique", UNIQUE, [
        [repeated(n), RANDOM.integers(0, 3, (n, 2)).astype(np.int64)] for n in (1, 2, 40, 1000)]

    def boxes(b, n):
        corner, size = x(b, n, 2), np.abs(x(b, n, 2))
        return np.concatenate([corner, corner + size], -1)

    yield "suppress", SUPPRESS, [
        [boxes(b, n), x(b, c, n), scalar(most), f(0.3), f(-0.5)]
        for b, c, n in ((1, 1, 1), (2, 3, 30), (1, 2, 300)) for most in (0, 3, 1000)]
    for op, gates, states in (("LSTM", 4, 2), ("GRU", 3, 1), ("RNN", 1, 1)):
        yield from layers(op, gates, states)
    yield ("LSTM peepholes", recurrent("LSTM", 4, 6, 5, peephole=True, states=True),
           [layer_inputs(4, 6, 5, t, b, states=2, peephole=True) for t, b in STEPS])
    yield ("GRU reset after", recurrent("GRU", 3, 6, 5, "bidirectional", ", linear_before_reset = 1"),
           [layer_inputs(3, 6, 5, t, b, 2) for t, b in STEPS])
    yield ("LSTM activations", recurrent(
        "LSTM", 4, 6, 5, attributes=', activations = ["HardSigmoid", "Softsign", "Relu"],'
        " activation_alpha = [0.3], activation_beta = [0.4]"),
        [layer_inputs(4, 6, 5, t, b) for t, b in STEPS])


def faults():
    """Models, inputs with which they run, and some with which the run must end, with
    what it says then."""
    yield ("ragged", LOOP_RAGGED, [uniform(4), scalar(1)], [uniform(4), scalar(3)],
           "node #0 (Loop, version 16): scans elements whose sizes differ between iterations")
    yield ("squeeze", SQUEEZE, [uniform(2, 3)], [uniform(1, 3)],
           "was compiled for a size of dimension 0 other than one; fix it by --dim")
    yield ("squeeze if", SQUEEZE_IF, [uniform(1, 3)], [uniform(2, 3)],
           "was compiled for its then_branch, as the branches give ranks 1 and 2; "
           "fix the sizes it tests by --dim")


def empties():
    """Layers without a step and without a batch, which onnxruntime cannot run, and what
    they give: states as they began."""
    for op, gates, states in (("LSTM", 4, 2), ("GRU", 3, 1), ("RNN", 1, 1)):
        text = recurrent(op, gates, 6, 5, states=True)
        runs = []
        for t, b in ((0, 2), (3, 0), (0, 0)):
            inputs = layer_inputs(gates, 6, 5, t, b, states=states)
            runs.append((inputs, [np.zeros((t, 1, b, 6), np.float32), *inputs[-states:]]))
        yield f"{op} empty", text, runs
