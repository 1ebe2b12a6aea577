"""Reads a line of text that it draws itself, with an OCR model compiled by ampc.

The model is ch_PP-OCRv4_rec, a recogniser with dynamic height, width and batch. It
takes lines of text as images and gives, for each of the columns it cuts them into,
a probability for each character; text is read off by CTC decoding.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np
import onnx
from PIL import Image, ImageDraw, ImageFont

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "python"))

import ampc  # noqa: E402

FONT = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"
HEIGHT = 48  # Of the lines that the model was trained on.


def draw(text: str) -> Image.Image:
    font = ImageFont.truetype(FONT, 40)
    left, top, right, bottom = font.getbbox(text)
    image = Image.new("RGB", (right - left + 24, bottom - top + 20), "white")
    ImageDraw.Draw(image).text((12 - left, 10 - top), text, "black", font)
    return image


def preprocess(image: Image.Image) -> np.ndarray:
    """[1, 3, 48, width] in [-1, 1], channels in the order blue, green, red."""
    width = round(image.width * HEIGHT / image.height)
    pixels = np.asarray(image.resize((width, HEIGHT), Image.Resampling.BILINEAR))
    scaled = (pixels[:, :, ::-1].astype(np.float32) / 255 - 0.5) / 0.5
    return np.ascontiguousarray(scaled.transpose(2, 0, 1)[None])


def read_alphabet(model: onnx.ModelProto) -> "list[str]":
    """Class 0 is CTC's blank, the last one the space, the model names the rest."""
    metadata = {entry.key: entry.value for entry in model.metadata_props}
    return ["", *metadata["character"].splitlines(), " "]


def decode(probabilities: np.ndarray, alphabet: "list[str]") -> str:
    """CTC: the likeliest class a column, repeats merged, blanks dropped."""
    classes = probabilities.argmax(axis=1)
    starts = np.diff(classes, prepend=-1) != 0
    # The margins read as spaces.
    return "".join(alphabet[c] for c in classes[starts]).strip()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--text", default="The quick brown fox jumps over the lazy dog")
    parser.add_argument("--save-image", help="write the drawn line here")
    options = parser.parse_args()

    path = ROOT / ".deps" / "models" / "ch_PP-OCRv4_rec.onnx"
    alphabet = read_alphabet(onnx.load(path))
    image = draw(options.text)
    if options.save_image:
        image.save(options.save_image)

    with tempfile.TemporaryDirectory() as folder:
        library = pathlib.Path(folder) / "model.so"
        command = [str(ROOT / "build" / "bin" / "ampc"), str(path), "-o", str(library)]
        print(f"$ {' '.join(command)}", flush=True)
        start = time.perf_counter()
        subprocess.run(command, check=True)
        size = library.stat().st_size / 1e6
        print(f"compiled in {time.perf_counter() - start:.1f} s, {size:.1f} MB")

        model = ampc.Model(library)
        pixels = preprocess(image)
        times = []
        for _ in range(10):
            start = time.perf_counter()
            (probabilities,) = model.run([pixels])
            times.append(time.perf_counter() - start)
    text = decode(probabilities[0], alphabet)
    print(f"drew: {options.text}")
    print(f"read: {text}")
    shape = "x".join(map(str, pixels.shape))
    print(f"time: {1e3 * min(times):.1f} ms for {shape} (best of {len(times)})")
    if text != options.text:
        print("error: the text read is not the text drawn", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
