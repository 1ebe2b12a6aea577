//===- Passes.td - Target-independent passes -------------*- tablegen -*-===//

#ifndef AMPC_PASSES
#define AMPC_PASSES

include "mlir/Pass/PassBase.td"

def CSE : Pass<"amp-cse"> {
  let summary = "merge equal ops, keeping the names of both";
  let description = [{
    Common subexpression elimination that fuses the locations of what it merges, so
    that a report can still name every node of the source.

    ```mlir
    %0 = math.exp %x : tensor<4xf32> loc("a")
    %1 = math.exp %x : tensor<4xf32> loc("b")
    %2 = arith.addf %0, %1 : tensor<4xf32>
    ```
    ==>
    ```mlir
    %0 = math.exp %x : tensor<4xf32> loc(fused["a", "b"])
    %2 = arith.addf %0, %0 : tensor<4xf32>
    ```
  }];
}

def DecomposeOps : Pass<"amp-decompose-ops", "::mlir::func::FuncOp"> {
  let summary = "write compositions out in simpler ops";
  let description = [{
    Padded convolutions become a pad and a convolution that stays inside its
    operand, transposed convolutions become convolutions, attention becomes products and a
    softmax.

    ```mlir
    %y = amp.conv %x, %w {pads = array<i64: 1, 1>, ...}
       : (tensor<1x3x8xf32>, tensor<4x3x3xf32>) -> tensor<1x4x8xf32>
    ```
    ==>
    ```mlir
    %p = amp.pad %x, %zero low [0, 0, 1] interior [0, 0, 0] constant to [] {grows}
       : tensor<1x3x8xf32>, f32 to tensor<1x3x10xf32>
    %y = amp.conv %p, %w {pads = array<i64: 0, 0>, ...}
       : (tensor<1x3x10xf32>, tensor<4x3x3xf32>) -> tensor<1x4x8xf32>
    ```
  }];
  let dependentDialects = ["::amp::AmpDialect"];
}

def FormKernels : Pass<"amp-form-kernels", "::mlir::func::FuncOp"> {
  let summary = "group ops into kernels";
  let description = [{
    Afterwards every op that computes on tensors stands in an `amp.kernel`. Pointwise ops join
    the kernel of their operand; broadcasts and the like are repeated in every user; an
    op with `KernelRootOpInterface` starts a kernel and may take pointwise ops in before and
    after it. Grouping never looks at the target.

    ```mlir
    %0 = amp.matmul %a, %b : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
    %1 = amp.broadcast %c to [] : tensor<2xf32> to tensor<4x2xf32>
    %2 = arith.addf %0, %1 : tensor<4x2xf32>
    ```
    ==>
    ```mlir
    %init = tensor.empty() : tensor<4x2xf32>
    %2 = amp.kernel ins(%x = %a, %y = %b, %z = %c : ...) outs(%init : tensor<4x2xf32>) {
      %p = amp.matmul %x, %y : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
      %q = amp.broadcast %z to [] : tensor<2xf32> to tensor<4x2xf32>
      %s = arith.addf %p, %q : tensor<4x2xf32>
      amp.yield %s : tensor<4x2xf32>
    } : tensor<4x2xf32>
    ```
  }];
  let dependentDialects = ["::amp::AmpDialect", "::mlir::tensor::TensorDialect"];
}

def PlaceSlices : Pass<"amp-place-slices", "::mlir::func::FuncOp"> {
  let summary = "turn concats and pads into writes to slices of one buffer";
  let description = [{
    Runs after `amp-form-kernels`, before bufferization.

    ```mlir
    %c = amp.concat 0 (%a, %b) : (tensor<2xf32>, tensor<3xf32>) -> tensor<5xf32>
    ```
    ==>
    ```mlir
    %e = tensor.empty() : tensor<5xf32>
    %0 = tensor.insert_slice %a into %e[0] [2] [1] : tensor<2xf32> into tensor<5xf32>
    %c = tensor.insert_slice %b into %0[2] [3] [1] : tensor<3xf32> into tensor<5xf32>
    ```
  }];
  let dependentDialects = ["::amp::AmpDialect", "::mlir::tensor::TensorDialect"];
}

#endif // AMPC_PASSES
