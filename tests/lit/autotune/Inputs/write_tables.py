"""Tables with an entry for the kernel of `canonical` below."""

import hashlib
import pathlib
import sys

canonical = """\
func.func @main(%arg0: memref<40x64xf32>, %arg1: memref<64x96xf32>, %arg2: memref<40x96xf32>) {
  amp.kernel ins(%arg3 = %arg0, %arg4 = %arg1 : memref<40x64xf32>, memref<64x96xf32>) \
outs(%arg2 : memref<40x96xf32>) args(tensor<40x64xf32>, tensor<64x96xf32>) {
    %0 = amp.matmul %arg3, %arg4 : (tensor<40x64xf32>, tensor<64x96xf32>) -> tensor<40x96xf32>
    amp.yield %0 : tensor<40x96xf32>
  }
  return
}"""
name = hashlib.sha256(canonical.encode()).hexdigest()[:32]
numbers = "block_rows = 40, k_steps = 384, pack = 1, tile_rows = {}, tile_vectors = 3"
entry = f"avx2 {name} #amp.schedule<{numbers}> # a product\n"
tables = {
    "good": "# A comment.\nemitter 1\n\n" + entry.format(4),
    "stale": "emitter 0\n" + entry.format(4),
    "unlisted": "emitter 1\n" + entry.format(-4),
    "broken": "emitter 1\nsse " + entry.format(4),
}
for table, text in tables.items():
    pathlib.Path(sys.argv[2], table + ".txt").write_text(text)
