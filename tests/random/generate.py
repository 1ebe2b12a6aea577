"""Random graphs that are valid by construction.

A graph is made together with one set of input values: every value has its array, as
numpy-like shapes decide which ops fit. Sizes of inputs are declared as symbols or left
static by chance, so the compiler has to do without what the generator knows.
"""

import random
from dataclasses import dataclass, field

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

MOST_ELEMENTS = 4096
SIZES = (1, 1, 2, 3, 4, 5, 7, 8, 9, 17)
FLOATS = (np.float32, np.float64)
INTS = (np.int64, np.int32)


@dataclass
class Val:
    """A tensor of the graph. `exact`: computed without rounding, so that an op that is
    not continuous (a comparison, a cast to integers) has one right answer."""

    name: str
    dtype: type
    shape: tuple
    exact: bool = True

    @property
    def rank(self):
        return len(self.shape)

    @property
    def size(self):
        return int(np.prod(self.shape, dtype=np.int64))


@dataclass
class Graph:
    seed: int
    nodes: list = field(default_factory=list)
    inputs: dict = field(default_factory=dict)  # name -> array
    dims: dict = field(default_factory=dict)  # input -> sizes and symbols
    constants: dict = field(default_factory=dict)  # name -> array
    outputs: list = field(default_factory=list)  # of Val

    def model(self) -> onnx.ModelProto:
        kind = helper.np_dtype_to_tensor_dtype
        info = helper.make_tensor_value_info
        used = {name for node in self.nodes for name in node.input}
        used |= {value.name for value in self.outputs}
        graph = helper.make_graph(
            self.nodes,
            f"seed{self.seed}",
            [info(n, kind(a.dtype), self.dims[n]) for n, a in self.inputs.items() if n in used],
            [info(v.name, kind(np.dtype(v.dtype)), [None] * v.rank) for v in self.outputs],
            [numpy_helper.from_array(a, n) for n, a in self.constants.items() if n in used],
        )
        return helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9
        )


class Generator:
    def __init__(self, seed: int, prefix: str = ""):
        self.random = random.Random(seed)
        self.numbers = np.random.default_rng(seed)
        self.graph = Graph(seed)
        self.prefix = prefix
        self.values = []
        self.count = 0
        # Zero is a size like any other, in one graph of eight.
        zero = (0,) if self.random.random() < 0.125 else ()
        self.symbols = {
            f"{prefix}{s}": self.random.choice(SIZES + zero) for s in ("n", "m", "k")
        }

    # --- Parts of a graph ---

    def name(self, kind: str) -> str:
        self.count += 1
        return f"{self.prefix}{kind}{self.count}"

    def array(self, dtype, shape):
        if dtype == np.bool_:
            return self.numbers.random(shape) < 0.5
        if dtype in FLOATS:
            return self.numbers.uniform(-2, 2, shape).astype(dtype)
        low = 0 if dtype == np.uint8 else -5
        return self.numbers.integers(low, 6, shape).astype(dtype)

    def input(self, dtype=None, rank=None) -> Val:
        dtype = dtype or self.random.choices(
            (np.float32, np.float64, np.int64, np.int32, np.bool_, np.uint8), (8, 1, 2, 1, 1, 1)
        )[0]
        dims = []
        for _ in range(self.random.randint(0, 4) if rank is None else rank):
            if self.random.random() < 0.5:
                dims.append(self.random.choice(list(self.symbols)))
            else:
                dims.append(self.random.choice(SIZES))
        shape = tuple(self.symbols.get(d, d) for d in dims)
        while int(np.prod(shape)) > MOST_ELEMENTS:
            dims[int(np.argmax(shape))] = 2
            shape = tuple(self.symbols.get(d, d) for d in dims)
        value = Val(self.name("x"), dtype, shape)
        self.graph.inputs[value.name] = self.array(dtype, shape)
        # A name that stands once may also be none.
        self.graph.dims[value.name] = [
            None if isinstance(d, str) and self.random.random() < 0.2 else d for d in dims
        ]
        self.values.append(value)
        return value

    def constant(self, array) -> Val:
        array = np.asarray(array)
        value = Val(self.name("c"), array.dtype.type, array.shape)
        self.graph.constants[value.name] = array
        return value

    def ints(self, *values) -> str:
        return self.constant(np.array(values, np.int64)).name

    def emit(self, op, inputs, shape, dtype, exact, outputs=1, **attributes):
        """A node with outputs of one type; the first output, or all of several."""
        shapes = shape if outputs > 1 else [shape]
        values = [Val(self.name("v"), dtype, tuple(map(int, s)), exact) for s in shapes]
        names = [i if isinstance(i, str) else i.name for i in inputs]
        self.graph.nodes.append(
            helper.make_node(op, names, [v.name for v in values], **attributes)
        )
        self.values += values
        return values if outputs > 1 else values[0]

    def pick(self, test=lambda v: True, recent=True):
        found = [v for v in self.values if test(v) and v.size <= MOST_ELEMENTS]
        if not found:
            return None
        # Mostly the latest, so that graphs are deep; at times any, to share.
        return self.random.choice(found[-3:] if recent and self.random.random() < 0.7 else found)

    def finish(self) -> Graph:
        read = {name for node in self.graph.nodes for name in node.input}
        made = [v for v in self.values if v.name not in self.graph.inputs]
        leaves = [v for v in made if v.name not in read]
        inner = [v for v in made if v.name in read]
        self.graph.outputs = leaves + self.random.sample(inner, min(len(inner), self.random.randint(0, 2)))
        return self.graph


def generate(seed: int, nodes: int = 8, prefix: str = "") -> Graph:
    import ops

    generator = Generator(seed, prefix)
    for _ in range(generator.random.randint(1, 3)):
        generator.input()
    tries = 0
    wanted = generator.random.randint(1, nodes)
    while len(generator.graph.nodes) < wanted and tries < 20 * nodes:
        tries += 1
        generator.random.choice(ops.ALL)(generator)
    if not generator.graph.nodes:
        value = generator.values[0]
        generator.emit("Identity", [value], value.shape, value.dtype, True)
    return generator.finish()
