# A file that cannot grow, as on a full disk: one line, exit 1, nothing left.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s ampc %t

import os
import resource
import signal
import subprocess
import sys

ampc, folder = sys.argv[1:]
model = os.path.join(folder, "model.mlir")
elements = 1 << 15
with open(model, "w") as file:
    # 128 KiB of weights: more than the limit below.
    file.write(
        f"""amp.weight_data @w = dense<1.0> : tensor<{elements}xf32>
func.func @main(%x: tensor<{elements}xf32>) -> tensor<{elements}xf32> {{
  %w = amp.weight @w : tensor<{elements}xf32>
  %y = arith.addf %x, %w : tensor<{elements}xf32>
  return %y : tensor<{elements}xf32>
}}
"""
    )


def limited(limit):
    def apply():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    return apply


def compile(output, *options, limit=None):
    return subprocess.run(
        [ampc, model, "-o", os.path.join(folder, output), *options],
        preexec_fn=limited(limit) if limit else None,
        capture_output=True,
        text=True,
    )


# Fails in the weights, in the code, in what the linker writes, in the text.
for output, options, limit in [
    ("a.so", [], 64 << 10),
    ("a.so", [], 1 << 10),
    ("a.so", [], 140 << 10),
    ("a.o", [], 140 << 10),
    ("a.so", ["--external-weights"], 64 << 10),
    ("a.ll", [], 1 << 10),
    ("a.mlir", [], 256),
]:
    result = compile(output, *options, limit=limit)
    lines = result.stderr.splitlines()
    assert result.returncode == 1, (output, limit, result)
    assert len(lines) == 1 and lines[0].startswith("ampc: error: cannot write"), lines
    assert os.listdir(folder) == ["model.mlir"], os.listdir(folder)

result = compile("a.so")
assert result.returncode == 0, result
# Wrong usage is told from what goes wrong by its exit code.
assert subprocess.run([ampc, "--bogus"], capture_output=True).returncode == 2
assert subprocess.run([ampc, "info"], capture_output=True).returncode == 2
