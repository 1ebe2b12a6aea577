"""The real models, each with inputs at several of the sizes it leaves open."""

import pathlib
from typing import Callable, NamedTuple

import numpy as np
import onnx

import inputs


class Model(NamedTuple):
    name: str
    input: str
    shapes: tuple  # What `make` takes, one entry a run.
    make: Callable[..., np.ndarray]
    dims: tuple = ()  # Names of the dynamic sizes, in the order of `shapes`.


def _text_region(count, height, width):  # PP-OCR's detector
    return inputs.normalized(
        inputs.batch(inputs.page, count, width, height),
        (0.485, 0.456, 0.406),
        (0.229, 0.224, 0.225),
    )


def _text_line(count, width):
    return inputs.normalized(inputs.batch(inputs.line, count, width, 48), [0.5] * 3, [0.5] * 3)


def _text_angle(count, height, width):
    return inputs.normalized(inputs.batch(inputs.line, count, width, height), [0.5] * 3, [0.5] * 3)


def _photo(count, height, width):
    return inputs.batch(inputs.page, count, width, height)


PADDLE = "p2o.DynamicDimension."
MODELS = (
    Model(
        "ch_PP-OCRv4_det",
        "x",
        ((1, 160, 224), (2, 96, 64), (1, 320, 320)),
        _text_region,
        (PADDLE + "0", PADDLE + "1", PADDLE + "2"),
    ),
    Model(
        "ch_PP-OCRv4_rec",
        "x",
        ((1, 320), (3, 96), (2, 203)),
        _text_line,
        (PADDLE + "0", PADDLE + "1"),
    ),
    Model(
        "ch_ppocr_mobile_v2.0_cls",
        "x",
        ((1, 48, 192), (6, 48, 192), (2, 48, 100)),
        _text_angle,
    ),
    Model("magika", "bytes", ((1,), (4,), (7,)), inputs.contents, ("unk__214",)),
    Model(
        "nudenet_320n",
        "images",
        ((1, 320, 320), (2, 192, 256), (1, 64, 96)),
        _photo,
        ("batch", "height", "width"),
    ),
    Model(
        "basic_pitch",
        "serving_default_input_2:0",
        ((1,), (2,), (3,)),
        lambda count: inputs.sound(count, 43844),
        ("unk__749",),
    ),
)


def path(model: Model) -> pathlib.Path:
    return pathlib.Path(__file__).parents[2] / ".deps" / "models" / f"{model.name}.onnx"


def weight_bytes(file: pathlib.Path) -> int:
    """All tensors that the file holds, as initializers or as constants."""

    def tensors(graph: onnx.GraphProto):
        yield from graph.initializer
        for node in graph.node:
            for attribute in node.attribute:
                if attribute.HasField("t"):
                    yield attribute.t
                if attribute.HasField("g"):
                    yield from tensors(attribute.g)

    return sum(
        onnx.numpy_helper.to_array(tensor).nbytes for tensor in tensors(onnx.load(file).graph)
    )
