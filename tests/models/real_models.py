"""The real models against onnxruntime in float32: one library a model, at several
shapes, within max |a - b| <= 1e-4 max |b| for each output. Where they differ by more,
the same graph in f64 judges: ampc must be within the bound of it, and onnxruntime not.
Quantised models are compared piece by piece (cut.py). Any number of threads gives the
bits that one gives.

    real_models.py             compile, compare, print what it cost
    real_models.py --bench     also the time against onnxruntime, one thread each
    real_models.py --static    also compile for fixed sizes: equal bits are wanted
"""

import argparse
import pathlib
import sys
import tempfile

import numpy as np
import onnx

import compiler
import cut
import double
import timing
import zoo
from compiler import ROOT

import ampc

TOLERANCE = 1e-4
MIB = 1 << 20


def difference(actual: np.ndarray, expected: np.ndarray) -> float:
    """Largest difference over largest magnitude; infinite where NaNs differ."""
    if actual.dtype != expected.dtype or actual.shape != expected.shape:
        raise AssertionError(
            f"{actual.dtype}{list(actual.shape)}, not {expected.dtype}{list(expected.shape)}"
        )
    if expected.size == 0:
        return 0.0
    if not (np.isfinite(expected) == np.isfinite(actual)).all():
        return np.inf
    worst = np.abs(actual.astype(np.float64) - expected).max()
    return float(worst / max(np.abs(expected).max(), np.finfo(np.float32).tiny))


class Judge:
    """The model in f64, compiled when it is first asked."""

    def __init__(self, build: pathlib.Path, file: pathlib.Path, folder: pathlib.Path):
        self.build, self.file, self.folder, self.model = build, file, folder, None

    def outputs(self, feed: "dict[str, np.ndarray]") -> "list[np.ndarray]":
        if self.model is None:
            wide = self.folder / f"{self.file.stem}.double.onnx"
            double.write_double(self.file, wide)
            compiled = compiler.compile_model(self.build, wide, wide.with_suffix(".so"))
            self.model = ampc.Model(compiled.library, threads=1)
        widened = {
            name: array.astype(np.float64) if array.dtype == np.float32 else array
            for name, array in feed.items()
        }
        return self.model.run(widened)


def check_pieces(
    model: zoo.Model, build: pathlib.Path, folder: pathlib.Path
) -> "tuple[float, list[str]]":
    """Compares a quantised model: the largest relative difference of its outputs, and
    what is wrong."""
    file, errors, worst = zoo.path(model), [], 0.0
    feeds = [model.feed(*shape) for shape in model.shapes]
    runs = cut.oracle(file, feeds)
    pieces = folder / f"{model.name}.cut.onnx"
    integers = cut.write_cut(file, pieces, runs)
    compiled = compiler.compile_model(build, pieces, pieces.with_suffix(".so"))
    library = ampc.Model(compiled.library, threads=1)
    for shape, feed, run in zip(model.shapes, feeds, runs):
        given = {f"{name}_given": run[name] for name in integers}
        for info, actual in zip(library.outputs, library.run({**feed, **given}), strict=True):
            where = f"{model.name} at {shape}: {info.name}"
            if info.name in integers:
                errors += cut.differences(where, actual, run[info.name])
                continue
            relative = difference(actual, run[info.name])
            worst = max(worst, relative)
            if relative > TOLERANCE:
                errors.append(f"{where}: max|a-b| is {relative:.1e} max|b|")
    return worst, errors


def check(model: zoo.Model, build: pathlib.Path, folder: pathlib.Path, options) -> "list[str]":
    """Prints the model's line of the table; returns what is wrong."""
    errors = []
    file = zoo.path(model)
    target = f"--target={options.target}"
    compiled = compiler.compile_model(build, file, folder / f"{model.name}.so", target)
    weights = zoo.weight_bytes(file)
    session = timing.cpu_session(file)
    library = ampc.Model(compiled.library, threads=1)
    shared = {threads: ampc.Model(compiled.library, threads=threads) for threads in (2, 8)}
    judge = Judge(build, file, folder)
    worst, ratios, notes = 0.0, [], []
    is_quantized = bool(cut.quantized_tensors(onnx.load(file)))
    if is_quantized:
        worst, found = check_pieces(model, build, folder)
        errors += found
    for shape in model.shapes:
        feed = model.feed(*shape)
        expected = session.run([info.name for info in library.outputs], feed)
        actual = library.run(feed)
        for threads, other in shared.items():
            for info, a, b in zip(library.outputs, actual, other.run(feed), strict=True):
                if a.tobytes() != b.tobytes():
                    errors.append(
                        f"{model.name} at {shape}: output {info.name}: {threads} threads "
                        f"give other bits"
                    )
        for info, a, b in zip(library.outputs, actual, expected, strict=True):
            try:
                relative = difference(a, b)
            except AssertionError as error:
                errors.append(f"{model.name} at {shape}: output {info.name}: {error}")
                continue
            if is_quantized:
                continue
            worst = max(worst, relative)
            if relative <= TOLERANCE:
                continue
            exact = judge.outputs(feed)[[o.name for o in library.outputs].index(info.name)]
            ours, theirs = (difference(x.astype(np.float64), exact) for x in (a, b))
            where = f"{model.name} at {shape}: output {info.name}"
            if ours <= TOLERANCE < theirs:
                notes.append(f"{where}: onnxruntime is off by {theirs:.1e}, ampc by {ours:.1e}")
            else:
                errors.append(
                    f"{where}: max|a-b| is {relative:.1e} max|b|, over {TOLERANCE:.0e}; "
                    f"in f64 ampc is off by {ours:.1e}, onnxruntime by {theirs:.1e}"
                )
        if options.bench:
            ours, theirs = timing.shortest(
                [lambda: library.run(feed), lambda: session.run(None, feed)], seconds=3.0
            )
            ratios.append(f"{ours * 1e3:.1f}/{theirs * 1e3:.1f}={ours / theirs:.2f}")
        if options.static and model.dims:
            dims = [f"--dim={name}={size}" for name, size in zip(model.dims, shape)]
            # A name of its own: the loader takes an equal path for the same library.
            name = f"{model.name}-{'-'.join(map(str, shape))}.so"
            static = compiler.compile_model(build, file, folder / name, target, *dims)
            fixed = ampc.Model(static.library, threads=1).run(feed)
            for info, a, b in zip(library.outputs, actual, fixed, strict=True):
                if a.tobytes() != b.tobytes():
                    errors.append(
                        f"{model.name} at {shape}: output {info.name}: the library for "
                        f"fixed sizes gives other bits"
                    )
    size_limit = weights + 2 * MIB
    if compiled.size > size_limit:
        errors.append(f"{model.name}: the library takes {compiled.size} bytes, over {size_limit}")
    memory_limit = 3 * file.stat().st_size + 500 * MIB
    if compiled.peak_bytes > memory_limit:
        errors.append(f"{model.name}: ampc took {compiled.peak_bytes} bytes, over {memory_limit}")
    print(
        f"{model.name:26s} {compiled.seconds:8.1f} {compiled.size / MIB:8.2f} "
        f"{weights / MIB:8.2f} {compiled.peak_bytes / MIB:8.0f} {worst:9.1e}  "
        + " ".join(ratios),
        flush=True,
    )
    for note in notes:
        print(f"  by f64, {note}")
    return errors


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--filter", default="", help="part of a model's name")
    parser.add_argument("--bench", action="store_true")
    parser.add_argument("--target", default="native", help="processor to compile for")
    parser.add_argument("--static", action="store_true")
    options = parser.parse_args()
    print(
        f"{'model':26s} {'seconds':>8s} {'.so MiB':>8s} {'weights':>8s} {'peak MiB':>8s} "
        f"{'error':>9s}" + ("  ms ours/onnxruntime, a shape each" if options.bench else "")
    )
    errors = []
    models = [model for model in zoo.MODELS if options.filter in model.name]
    if not models:
        sys.exit(f"no model matches {options.filter!r}")
    with tempfile.TemporaryDirectory(prefix="ampc-models-") as folder:
        for model in models:
            try:
                errors += check(model, options.build, pathlib.Path(folder), options)
            except (RuntimeError, OSError) as error:  # Of ampc, onnxruntime, dlopen.
                errors.append(f"{model.name}: {error}")
    for error in errors:
        print(f"FAIL {error}")
    print(f"models: {len(models)} compared, {len(errors)} failures")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
