"""Inputs as the real models meet them: pictures, file contents, sound."""

import pathlib

import numpy as np
from PIL import Image, ImageDraw, ImageFont

FONT = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"
LINES = (
    "Invoice no. 2024-0815",
    "Total amount due: $1,234.56",
    "Thank you for your order!",
    "Please pay within 30 days.",
)


def page(width: int, height: int, seed: int) -> np.ndarray:
    """[height, width, 3] uint8: lines of text and shapes on a shaded, noisy page."""
    rng = np.random.default_rng(seed)
    shade = np.linspace(255, 170, width)[None, :, None] - np.linspace(0, 30, height)[:, None, None]
    noise = rng.normal(0, 6, (height, width, 3))
    image = Image.fromarray(np.clip(shade + noise, 0, 255).astype(np.uint8))
    canvas = ImageDraw.Draw(image)
    size = max(10, height // 10)
    font = ImageFont.truetype(FONT, size)
    for row, top in enumerate(range(size // 2, height, 2 * size)):
        canvas.text((size, top), LINES[(row + seed) % len(LINES)], (20, 20, 60), font)
    box = [width * 5 // 8, height * 5 // 8, width * 7 // 8, height * 7 // 8]
    canvas.ellipse(box, (200, 120, 90))
    return np.asarray(image)


def line(width: int, height: int, seed: int) -> np.ndarray:
    """[height, width, 3] uint8: one line of text that fills the height."""
    font = ImageFont.truetype(FONT, height * 5 // 6)
    image = Image.new("RGB", (width, height), (240, 238, 230))
    ImageDraw.Draw(image).text((4, 0), LINES[seed % len(LINES)], (30, 20, 40), font)
    return np.asarray(image)


def batch(picture, count: int, width: int, height: int) -> np.ndarray:
    """[count, 3, height, width] in [0, 1]."""
    pictures = [picture(width, height, seed) for seed in range(count)]
    return np.stack(pictures).transpose(0, 3, 1, 2).astype(np.float32) / 255


def normalized(images: np.ndarray, mean, deviation) -> np.ndarray:
    mean, deviation = (np.float32(x).reshape(-1, 1, 1) for x in (mean, deviation))
    return (images - mean) / deviation


def contents(count: int) -> np.ndarray:
    """[count, 2048] int32, as magika cuts files: the first 1024 bytes, then the last
    1024, each padded with 256. Files of different kinds."""
    rng = np.random.default_rng(1)
    source = pathlib.Path(__file__).read_bytes()
    files = [source, rng.bytes(5000), b"\x7fELF\x02\x01\x01" + bytes(900), source[:300]]
    rows = np.full((count, 2048), 256, np.int32)
    for row in range(count):
        data = np.frombuffer(files[row % len(files)], np.uint8)
        head, tail = data[:1024], data[-1024:]
        rows[row, : len(head)] = head
        rows[row, 2048 - len(tail) :] = tail
    return rows


def sound(count: int, samples: int) -> np.ndarray:
    """[count, samples, 1] in [-1, 1]: decaying chords at 22050 Hz, and some noise."""
    rng = np.random.default_rng(2)
    time = np.arange(samples) / 22050
    waves = []
    for number in range(count):
        wave = rng.normal(0, 0.003, samples)
        for note in (57, 61, 64, 69 + number):
            frequency = 440 * 2 ** ((note - 69) / 12)
            start = 0.2 * rng.random()
            envelope = np.where(time > start, np.exp(-2 * (time - start)), 0)
            for partial in (1, 2, 3):
                wave += 0.2 / partial * envelope * np.sin(2 * np.pi * partial * frequency * time)
        waves.append(wave / max(1, np.abs(wave).max()))
    return np.stack(waves).astype(np.float32)[:, :, None]
