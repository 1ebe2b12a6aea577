//===- ReductionOps.td - Reductions, pooling, norms, scans -*- tablegen -*-===//

include "AmpBase.td"

def Root : DeclareOpInterfaceMethods<Amp_KernelRootOpInterface>;
def RootWithPrologue
    : DeclareOpInterfaceMethods<Amp_KernelRootOpInterface, ["allowsPrologue"]>;
class Amp_ReducingOp<string mnemonic, list<Trait> traits = [RootWithPrologue]>
    : Amp_RootOp<mnemonic, ["getErrorClass", "getFlops", "getReductionLength"],
                 traits> {
  let hasVerifier = 1;
}

def Amp_ReduceOp : Amp_ReducingOp<"reduce", [RootWithPrologue, Permutable]> {
  let summary = "combines the elements along some dimensions";
  let description = [{
    The reduced dimensions disappear. Floats below f64 are combined in f32. A sum or product
    of floats has one order: the row's element with row-major index `i` (among the reduced
    dimensions) goes to lane `i mod 16`, each lane in order from the neutral element, then lane
    `l` meets lane `l + 8`, `l + 4`, `l + 2` and `l + 1`. `max` and `min` propagate NaN. An empty
    row gives the neutral element (0, 1, -inf or the least value, +inf or the greatest).

    ```mlir
    %s = amp.reduce sum %x [1] : tensor<?x64xf32> to tensor<?xf32>
    ```
  }];
  let arguments = (ins Amp_ReduceKindAttr:$kind, Amp_Tensor:$source,
                       DenseI64ArrayAttr:$axes, UnitAttr:$unsigned_source);
  let results = (outs Amp_Tensor:$result);
  let hasFolder = 1;
  let assemblyFormat = "$kind $source $axes attr-dict `:` type($source) `to` type($result)";
}

def Amp_ArgReduceOp : Amp_ReducingOp<"arg_reduce"> {
  let summary = "index of the largest or smallest element along an axis";
  let description = [{
    `kind` is `max` or `min`. The axis disappears. The first of equal elements wins, or with
    `last` the last; NaN wins over numbers.

    ```mlir
    %i = amp.arg_reduce max %x 1 : tensor<?x64xf32> to tensor<?xi64>
    ```
  }];
  let arguments = (ins Amp_ReduceKindAttr:$kind, Amp_Tensor:$source, I64Attr:$axis,
                       UnitAttr:$last, UnitAttr:$unsigned_source);
  let results = (outs Amp_Tensor:$result);
  let assemblyFormat = "$kind $source $axis attr-dict `:` type($source) `to` type($result)";
}

def Amp_SoftmaxOp : Amp_ReducingOp<"softmax",
    [RootWithPrologue, SameOperandsAndResultType, PermutableTogether]> {
  let summary = "exp(x - max) / sum along an axis, or its logarithm";
  let description = [{
    Computed in f32 (f64 for f64): maximum, sum of exponentials (in the order of
    `amp.reduce`), quotient.

    ```mlir
    %p = amp.softmax %x 1 : tensor<?x64xf32>
    ```
  }];
  let arguments = (ins Amp_FloatTensor:$source, I64Attr:$axis, UnitAttr:$log);
  let results = (outs Amp_FloatTensor:$result);
  let assemblyFormat = "$source $axis attr-dict `:` type($source)";
}

def Amp_LayerNormOp : Amp_ReducingOp<"layer_norm", [RootWithPrologue, AttrSizedOperandSegments]> {
  let summary = "normalizes over the dimensions from an axis on";
  let description = [{
    `layer`: `(x - mean) / sqrt(var + epsilon)`, `rms`: `x / sqrt(mean(x^2) + epsilon)`, then
    `* scale + bias`, whose shape is that of the normalized dimensions. Statistics are f32, in
    the order of `amp.reduce`.

    ```mlir
    %y = amp.layer_norm layer %x scale %g bias %b {axis = 1 : i64, epsilon = 1.0e-5 : f32}
       : (tensor<?x64xf32>, tensor<64xf32>, tensor<64xf32>) -> tensor<?x64xf32>
    ```
  }];
  let arguments = (ins Amp_NormKindAttr:$kind, Amp_FloatTensor:$source,
                       Optional<Amp_FloatTensor>:$scale, Optional<Amp_FloatTensor>:$bias,
                       I64Attr:$axis, F32Attr:$epsilon);
  let results = (outs Amp_FloatTensor:$result);
  let assemblyFormat = [{
    $kind $source (`scale` $scale^)? (`bias` $bias^)? attr-dict
    `:` functional-type(operands, results)
  }];
}

class Amp_WindowOp<string mnemonic, list<Trait> traits>
    : Amp_ReducingOp<mnemonic, traits> {
  dag windowArguments = (ins DenseI64ArrayAttr:$kernel, DenseI64ArrayAttr:$strides,
                             DenseI64ArrayAttr:$dilations, DenseI64ArrayAttr:$pads,
                             UnitAttr:$ceil_mode);
}

def Amp_PoolOp : Amp_WindowOp<"pool", [RootWithPrologue, PermutableWithGain]> {
  let summary = "combines windows of the spatial dimensions";
  let description = [{
    Operand and result are NC..., or with `channels_last` N...C. `pads` as in `amp.conv`; what lies outside never wins a maximum and adds nothing to a sum.
    A window is combined by one chain from the neutral element, in row-major order.
    `average` divides by the number of elements inside, or with `count_include_pad` by those
    inside the padded input. With `ceil_mode` the last window may reach past the padding.

    ```mlir
    %y = amp.pool max %x {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>,
         dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>}
       : tensor<?x8x?x?xf32> to tensor<?x8x?x?xf32>
    ```
  }];
  let arguments = !con((ins Amp_PoolKindAttr:$kind, Amp_Tensor:$source), windowArguments,
                       (ins UnitAttr:$count_include_pad, UnitAttr:$unsigned_source,
                            UnitAttr:$channels_last));
  let results = (outs Amp_Tensor:$result);
  let extraClassDeclaration = [{
    int64_t getSpatialDim(int64_t i) { return i + (getChannelsLast() ? 1 : 2); }
  }];
  let assemblyFormat = "$kind $source attr-dict `:` type($source) `to` type($result)";
}

def Amp_PoolArgOp : Amp_WindowOp<"pool_arg", [RootWithPrologue]> {
  let summary = "flat index of the maximum of each window";
  let description = [{
    The index is into the whole operand, row-major, or with `column_major` with the spatial
    dimensions in reverse order (ONNX MaxPool's `storage_order`). The first maximum wins.

    ```mlir
    %i = amp.pool_arg %x {kernel = array<i64: 2>, strides = array<i64: 2>,
         dilations = array<i64: 1>, pads = array<i64: 0, 0>}
       : tensor<1x8x10xf32> to tensor<1x8x5xi64>
    ```
  }];
  let arguments = !con((ins Amp_Tensor:$source), windowArguments,
                       (ins UnitAttr:$column_major, UnitAttr:$unsigned_source));
  let results = (outs Amp_Tensor:$result);
  let extraClassDeclaration = [{
    int64_t getSpatialDim(int64_t i) { return i + 2; }
  }];
  let assemblyFormat = "$source attr-dict `:` type($source) `to` type($result)";
}

def Amp_ScanOp : Amp_ReducingOp<"scan", [RootWithPrologue, SameOperandsAndResultType]> {
  let summary = "running sum or product along an axis";
  let description = [{
    Sequential, in the element type (f32 for narrower floats). `exclusive` shifts by one and
    starts with the neutral element; `reverse` runs from the end.

    ```mlir
    %y = amp.scan sum %x 1 : tensor<?x64xf32>
    ```
  }];
  let arguments = (ins Amp_ReduceKindAttr:$kind, Amp_Tensor:$source, I64Attr:$axis,
                       UnitAttr:$exclusive, UnitAttr:$reverse);
  let results = (outs Amp_Tensor:$result);
  let assemblyFormat = "$kind $source $axis attr-dict `:` type($source)";
}

def Amp_TopKOp : Amp_ReducingOp<"top_k", [Root]> {
  let summary = "the k largest or smallest elements along an axis, sorted";
  let description = [{
    Values and their indices, best first; of equal elements the one with the smaller index
    comes first. `k`, the axis' size in the result, is at most that of the operand.

    ```mlir
    %v, %i = amp.top_k %x 1 to [] {largest} : tensor<?x64xf32> to tensor<?x5xf32>, tensor<?x5xi64>
    ```
  }];
  let arguments = (ins Amp_Tensor:$source, I64Attr:$axis, Optional<Index>:$k,
                       UnitAttr:$largest, UnitAttr:$unsigned_source);
  let results = (outs Amp_Tensor:$values, Amp_Tensor:$indices);
  let assemblyFormat = [{
    $source $axis `to` ` ` `[` $k `]` attr-dict
    `:` type($source) `to` type($values) `,` type($indices)
  }];
}
