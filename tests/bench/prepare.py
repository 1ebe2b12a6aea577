"""Models as each library wants them: with the sizes of one run, and compiled."""

import pathlib
import shutil
import subprocess
import sys

import numpy as np
import onnx

import machine  # noqa: F401  Finds what is imported below.


def fix_sizes(
    source: pathlib.Path, feed: "dict[str, np.ndarray]", file: pathlib.Path
) -> pathlib.Path:
    """Writes the model with the sizes of `feed`, so that others may count on them."""
    model = onnx.load(source)
    for value in model.graph.input:
        if value.name in feed:
            shape = value.type.tensor_type.shape
            shape.ClearField("dim")
            for size in feed[value.name].shape:
                shape.dim.add().dim_value = size
    onnx.save(model, file)
    return file


def fold(source: pathlib.Path, file: pathlib.Path) -> pathlib.Path:
    """What depends on weights and sizes alone is computed: compilers that read shapes as
    data take more models then. By onnxruntime's optimizations that keep to ONNX's ops."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    options.optimized_model_filepath = str(file)
    options.log_severity_level = 3
    onnxruntime.InferenceSession(str(source), options, providers=["CPUExecutionProvider"])
    return file


def tool(name: str, *arguments: str) -> None:
    """Runs a program of this Python environment, or else says why it failed in one line."""
    program = shutil.which(name, path=str(pathlib.Path(sys.executable).parent))
    if program is None:
        raise RuntimeError(f"{name} is not installed")
    process = subprocess.run([program, *arguments], capture_output=True, text=True)
    if process.returncode:
        lines = (process.stderr.strip() or f"exit code {process.returncode}").splitlines()
        raise RuntimeError(next((line for line in lines if "error" in line.lower()), lines[-1]))


def prepare_iree(source: pathlib.Path, file: pathlib.Path) -> None:
    folded = fold(source, file.with_suffix(".folded.onnx"))
    imported = str(file.with_suffix(".mlir"))
    tool("iree-import-onnx", str(folded), "-o", imported, "--opset-version", "17")
    tool(
        "iree-compile", imported, "-o", str(file), "--iree-opt-level=O3",
        "--iree-opt-data-tiling", "--iree-hal-target-device=local",
        "--iree-hal-local-target-device-backends=llvm-cpu", "--iree-llvmcpu-target-cpu=host",
    )


def prepare_tvm(source: pathlib.Path, file: pathlib.Path) -> None:
    """By the default pipeline: tuning takes hours a model."""
    import tvm
    from tvm import relax
    from tvm.relax.frontend.onnx import from_onnx
    from tvm.target import codegen

    model = onnx.load(fold(source, file.with_suffix(".folded.onnx")))
    target = tvm.target.Target({"kind": "llvm", "mcpu": codegen.llvm_get_system_cpu()})
    relax.build(from_onnx(model), target).export_library(str(file))


# Where a library runs no ONNX files: how one is compiled, and the suffix of the result.
COMPILERS = {"iree": (prepare_iree, ".vmfb"), "tvm": (prepare_tvm, ".so")}

if __name__ == "__main__":
    name, source, file = sys.argv[1:]
    COMPILERS[name][0](pathlib.Path(source), pathlib.Path(file))
