"""The real models, each with inputs at several of the sizes it leaves open."""

import pathlib
from typing import Callable, NamedTuple

import numpy as np
import onnx

import inputs


class Model(NamedTuple):
    name: str
    feed: Callable[..., "dict[str, np.ndarray]"]
    shapes: tuple  # What `feed` takes, one entry a run.
    dims: tuple = ()  # Names of the dynamic sizes, in the order of `shapes`.


def _image(name, picture, mean=(0.5,) * 3, deviation=(0.5,) * 3):
    """Pictures as a model takes them: [count, 3, height, width], normalized."""
    return lambda count, height, width: {
        name: inputs.normalized(inputs.batch(picture, count, width, height), mean, deviation)
    }


def _text_region(count, height, width):  # PP-OCR's detector
    return _image("x", inputs.page, (0.485, 0.456, 0.406), (0.229, 0.224, 0.225))(
        count, height, width
    )


def _text_line(count, width):
    return _image("x", inputs.line)(count, 48, width)


def _captcha(width):  # One channel in [-1, 1].
    gray = inputs.batch(inputs.line, 1, width, 64).mean(1, keepdims=True)
    return {"input1": (gray * 2 - 1).astype(np.float32)}


def _captcha_region():
    return {"images": inputs.batch(inputs.page, 1, 416, 416) * 255}


def _speech(count, samples, rate):
    sound = inputs.sound(count, samples)[:, :, 0]
    state = np.random.default_rng(5).uniform(-0.5, 0.5, (2, count, 128)).astype(np.float32)
    return {"input": sound, "state": state, "sr": np.array(rate)}


def _arabic(count, length):
    rng = np.random.default_rng(6)
    return {
        "char_inputs": rng.integers(1, 54, (count, length)),
        "diac_inputs": rng.integers(0, 16, (count, length)),
        "input_lengths": np.array([length] + [max(1, length - 2)] * (count - 1)),
    }


def _hebrew(count, length):
    letters = np.random.default_rng(7).integers(1, 43, (count, length)).astype(np.float32)
    letters[1:, -length // 3 :] = 0  # Padding, which is masked.
    return {"input_1": letters}


def _spectrum(count):
    """[count, 80, 800]: a log-mel-like picture of sound."""
    frames = inputs.sound(count, 160 * 800)[:, :, 0].reshape(count, 800, 160)
    power = np.abs(np.fft.rfft(frames, axis=-1))[..., :80].transpose(0, 2, 1)
    return {"input_features": np.log10(np.maximum(power, 1e-5)).astype(np.float32)}


def _degraded(count, frames):
    sound = inputs.sound(count, 256 * frames + 512)[:, :, 0]
    windows = np.lib.stride_tricks.sliding_window_view(sound, 512, axis=1)[:, ::256][:, :frames]
    power = np.log10(np.abs(np.fft.rfft(windows, axis=-1)) ** 2 + 1e-12)
    rater = np.random.default_rng(8).normal(0, 1, (count, 64))
    return {
        "degraded_audio": power[:, None].astype(np.float32),
        "rater_embed": rater.astype(np.float32),
    }


def _pitch(samples):
    bounds = {"fmin": np.array(46.875, np.float32), "fmax": np.array(2093.75, np.float32)}
    return {"audio": inputs.sound(1, samples)[:, :, 0], **bounds}


PADDLE = "p2o.DynamicDimension."
MODELS = (
    Model(
        "ch_PP-OCRv4_det",
        _text_region,
        ((1, 160, 224), (2, 96, 64), (1, 320, 320)),
        (PADDLE + "0", PADDLE + "1", PADDLE + "2"),
    ),
    Model(
        "ch_PP-OCRv4_rec",
        _text_line,
        ((1, 320), (3, 96), (2, 203)),
        (PADDLE + "0", PADDLE + "1"),
    ),
    Model(
        "ch_ppocr_mobile_v2.0_cls",
        _image("x", inputs.line),
        ((1, 48, 192), (6, 48, 192), (2, 48, 100)),
    ),
    Model(
        "magika",
        lambda count: {"bytes": inputs.contents(count)},
        ((1,), (4,), (7,)),
        ("unk__214",),
    ),
    Model(
        "nudenet_320n",
        _image("images", inputs.page, (0,) * 3, (1,) * 3),
        ((1, 320, 320), (2, 192, 256), (1, 64, 96)),
        ("batch", "height", "width"),
    ),
    Model(
        "basic_pitch",
        lambda count: {"serving_default_input_2:0": inputs.sound(count, 43844)},
        ((1,), (2,), (3,)),
        ("unk__749",),
    ),
    # Segmentation-style text detection and recognition with attention.
    Model(
        "PP-OCRv6_det",
        _text_region,
        ((1, 160, 224), (2, 96, 64), (1, 320, 320)),
        tuple(f"DynamicDimension.{i}" for i in range(3)),
    ),
    Model(
        "PP-OCRv6_rec",
        _text_line,
        ((1, 320), (3, 96), (2, 203)),
        ("DynamicDimension.0", "DynamicDimension.1"),
    ),
    # Convolutions and an LSTM over their columns; YOLOX.
    Model("ddddocr", _captcha, ((160,), (93,), (320,)), ("image_width",)),
    Model("ddddocr_det", _captcha_region, ((),)),
    # Voice activity: If over the sampling rate and the state, LSTM.
    Model("silero_vad", _speech, ((1, 576, 16000), (3, 576, 16000), (2, 288, 8000))),
    # Diacritics: GRUs, TopK and scatters as routing; Loops over bidirectional cells.
    Model("tashkeel", _arabic, ((1, 12), (2, 31), (3, 7)), ("batch", "seq")),
    Model("nakdimon", _hebrew, ((1, 20), (3, 33), (2, 8)), ("unk__1915", "unk__1916")),
    # Whether a speaker has finished: a transformer quantized to 8 bits.
    Model("smart_turn", _spectrum, ((1,), (2,), (3,)), ("s6",)),
    # Speech quality by GRUs, of more than one sound (Squeeze has no axes); pitch by a spectrum written in basic ops.
    Model("plcmos", _degraded, ((2, 100), (5, 37), (3, 251)), ("batch_size", "frames")),
    Model("swift_f0", _pitch, ((16000,), (5000,), (40001,)), ("samples",)),
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
