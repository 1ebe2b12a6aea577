//===- MovementOps.td - Ops that move elements -----------*- tablegen -*-===//

include "AmpBase.td"

def Amp_IotaOp : Amp_MoveOp<"iota", [Elemental]> {
  let summary = "each element is its index along one dimension";
  let description = [{
    ```mlir
    %i = amp.iota 1 to [%n] : tensor<4x?xi64>
    ```
  }];
  let arguments = (ins I64Attr:$dimension, Variadic<Index>:$dims);
  let results = (outs Amp_Tensor:$result);
  let assemblyFormat = "$dimension `to` ` ` `[` $dims `]` attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Amp_TransposeOp : Amp_MoveOp<"transpose", [ElementalMergeable, Permutable]> {
  let summary = "permutes dimensions";
  let description = [{
    Result dimension `i` is operand dimension `permutation[i]`.

    ```mlir
    %t = amp.transpose %x [0, 2, 1] : tensor<?x3x4xf32> to tensor<?x4x3xf32>
    ```
  }];
  let arguments = (ins Amp_Tensor:$source, DenseI64ArrayAttr:$permutation);
  let results = (outs Amp_Tensor:$result);
  let assemblyFormat =
      "$source $permutation attr-dict `:` type($source) `to` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Amp_SliceOp : Amp_MoveOp<"slice",
    [ElementalAnyOrder, AttrSizedOperandSegments, PermutableTogether]> {
  let summary = "every step-th element from a start";
  let description = [{
    Result element `i` is operand element `start + i * step` in each dimension; steps
    may be negative. Starts are in bounds (the importer clamps them); static starts and
    steps are in the attributes, dynamic ones marked by `ShapedType::kDynamic` there and
    given as operands.

    ```mlir
    %s = amp.slice %x [0, %b] step [1, -1] to [%n] : tensor<4x9xf32> to tensor<4x?xf32>
    ```
  }];
  let arguments = (ins Amp_Tensor:$source, Variadic<Index>:$starts,
                       Variadic<Index>:$steps, Variadic<Index>:$dims,
                       DenseI64ArrayAttr:$static_starts,
                       DenseI64ArrayAttr:$static_steps);
  let results = (outs Amp_Tensor:$result);
  let assemblyFormat = [{
    $source custom<DynamicIndexList>($starts, $static_starts)
    `step` custom<DynamicIndexList>($steps, $static_steps) `to` ` ` `[` $dims `]`
    attr-dict `:` type($source) `to` type($result)
  }];
  let builders = [OpBuilder<(ins "::mlir::RankedTensorType":$type, "::mlir::Value":$source,
      "::mlir::ArrayRef<::mlir::OpFoldResult>":$starts,
      "::mlir::ArrayRef<::mlir::OpFoldResult>":$steps, "::mlir::ValueRange":$dims)>];
  let extraClassDeclaration = [{
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedStarts();
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedSteps();
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Amp_PadOp : Amp_MoveOp<"pad",
    [ElementalAnyOrder, AttrSizedOperandSegments, PermutableTogether]> {
  let summary = "adds elements around and between those of the operand";
  let description = [{
    Result element `i` is operand element `(i - low) / (interior + 1)` where that is a whole
    number in bounds; elsewhere it is `value` (mode `constant`) or, with `interior` all
    zero, the element that `edge`, `reflect` or `wrap` names (numpy.pad). `low` may be negative,
    which crops. The high side follows from the result's size. `grows` says that neither side of any
    dimension crops.

    ```mlir
    %p = amp.pad %x, %zero low [0, %l] interior [0, 0] constant to [%n]
       : tensor<4x?xf32>, f32 to tensor<4x?xf32>
    ```
  }];
  let arguments = (ins Amp_Tensor:$source, Amp_Scalar:$value, Variadic<Index>:$low,
                       Variadic<Index>:$dims, DenseI64ArrayAttr:$static_low,
                       DenseI64ArrayAttr:$interior, Amp_PadModeAttr:$mode,
                       UnitAttr:$grows);
  let results = (outs Amp_Tensor:$result);
  let assemblyFormat = [{
    $source `,` $value `low` custom<DynamicIndexList>($low, $static_low)
    `interior` $interior $mode `to` ` ` `[` $dims `]`
    attr-dict `:` type($source) `,` type($value) `to` type($result)
  }];
  let extraClassDeclaration = [{
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedLow();
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Amp_ConcatOp : Amp_MoveOp<"concat", [PermutableTogether]> {
  let summary = "joins operands along one dimension";
  let description = [{
    Operands agree in all other dimensions. No kernel contains it: it becomes one buffer
    that the operands are written into.

    ```mlir
    %c = amp.concat 1 (%a, %b) : (tensor<2x?xf32>, tensor<2x3xf32>) -> tensor<2x?xf32>
    ```
  }];
  let arguments = (ins I64Attr:$axis, Variadic<Amp_Tensor>:$sources);
  let results = (outs Amp_Tensor:$result);
  let assemblyFormat =
      "$axis ` ` `(` $sources `)` attr-dict `:` functional-type($sources, $result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Amp_TileOp : Amp_MoveOp<"tile", [ElementalAnyOrder, PermutableTogether]> {
  let summary = "repeats the whole operand side by side";
  let description = [{
    Result element `i` is operand element `i mod size` in each dimension.

    ```mlir
    %t = amp.tile %x to [%n] : tensor<2x3xf32> to tensor<?x3xf32>
    ```
  }];
  let arguments = (ins Amp_Tensor:$source, Variadic<Index>:$dims);
  let results = (outs Amp_Tensor:$result);
  let assemblyFormat =
      "$source `to` ` ` `[` $dims `]` attr-dict `:` type($source) `to` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Amp_GatherOp : Amp_MoveOp<"gather", [ElementalAnyOrder]> {
  let summary = "picks slices along one axis by index";
  let description = [{
    `result[a.., i.., b..] = source[a.., indices[i..], b..]`. A negative index counts from the end;
    what is still out of bounds is clamped (kernels cannot fail).

    ```mlir
    %g = amp.gather 0 %table[%ids] : tensor<1000x64xf32>, tensor<?xi64> -> tensor<?x64xf32>
    ```
  }];
  let arguments = (ins I64Attr:$axis, Amp_Tensor:$source,
                       RankedTensorOf<[AnySignlessInteger]>:$indices);
  let results = (outs Amp_Tensor:$result);
  let assemblyFormat = [{
    $axis $source `[` $indices `]` attr-dict
    `:` type($source) `,` type($indices) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Amp_GatherElementsOp : Amp_MoveOp<"gather_elements", [ElementalAnyOrder]> {
  let summary = "picks single elements along one axis by index";
  let description = [{
    `result[.., i, ..] = source[.., indices[.., i, ..], ..]`; indices as in `amp.gather`.

    ```mlir
    %g = amp.gather_elements 1 %x[%i] : tensor<3x3xf32>, tensor<2x3xi64> -> tensor<2x3xf32>
    ```
  }];
  let arguments = (ins I64Attr:$axis, Amp_Tensor:$source,
                       RankedTensorOf<[AnySignlessInteger]>:$indices);
  let results = (outs Amp_Tensor:$result);
  let assemblyFormat = [{
    $axis $source `[` $indices `]` attr-dict
    `:` type($source) `,` type($indices) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Amp_GatherNDOp : Amp_MoveOp<"gather_nd", [ElementalAnyOrder]> {
  let summary = "picks slices by index tuples";
  let description = [{
    The last dimension of `indices` holds tuples that index the dimensions of `source`
    after the first `batch_dims`, which both share (ONNX GatherND).

    ```mlir
    %g = amp.gather_nd 0 %x[%i] : tensor<2x3x4xf32>, tensor<5x2xi64> -> tensor<5x4xf32>
    ```
  }];
  let arguments = (ins I64Attr:$batch_dims, Amp_Tensor:$source,
                       RankedTensorOf<[AnySignlessInteger]>:$indices);
  let results = (outs Amp_Tensor:$result);
  let assemblyFormat = [{
    $batch_dims $source `[` $indices `]` attr-dict
    `:` type($source) `,` type($indices) `->` type($result)
  }];
  let hasVerifier = 1;
}

class Amp_ScatterOp<string mnemonic> : Amp_MoveOp<mnemonic, [
    DeclareOpInterfaceMethods<Amp_KernelRootOpInterface>]> {
  let results = (outs Amp_Tensor:$result);
}

def Amp_ScatterElementsOp : Amp_ScatterOp<"scatter_elements"> {
  let summary = "a copy of the operand with single elements replaced or combined";
  let description = [{
    For each index of `updates`, in row-major order, the element of the copy that
    `amp.gather_elements` would read meets the update by `kind`.

    ```mlir
    %s = amp.scatter_elements 0 add %x[%i] = %u
       : tensor<3x3xf32>, tensor<2x3xi64>, tensor<2x3xf32> -> tensor<3x3xf32>
    ```
  }];
  let arguments = (ins I64Attr:$axis, Amp_ScatterKindAttr:$kind, Amp_Tensor:$source,
                       RankedTensorOf<[AnySignlessInteger]>:$indices, Amp_Tensor:$updates);
  let assemblyFormat = [{
    $axis $kind $source `[` $indices `]` `=` $updates attr-dict
    `:` type($source) `,` type($indices) `,` type($updates) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Amp_ScatterNDOp : Amp_ScatterOp<"scatter_nd"> {
  let summary = "a copy of the operand with slices replaced or combined";
  let description = [{
    The last dimension of `indices` holds tuples that index the leading dimensions of
    the copy (ONNX ScatterND), in row-major order.

    ```mlir
    %s = amp.scatter_nd replace %x[%i] = %u
       : tensor<8xf32>, tensor<4x1xi64>, tensor<4xf32> -> tensor<8xf32>
    ```
  }];
  let arguments = (ins Amp_ScatterKindAttr:$kind, Amp_Tensor:$source,
                       RankedTensorOf<[AnySignlessInteger]>:$indices, Amp_Tensor:$updates);
  let assemblyFormat = [{
    $kind $source `[` $indices `]` `=` $updates attr-dict
    `:` type($source) `,` type($indices) `,` type($updates) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Amp_ResizeOp : Amp_Op<"resize", [
    Pure, ReifyShapes, AttrSizedOperandSegments, PermutableTogether,
    DeclareOpInterfaceMethods<Amp_ElementalOpInterface,
                              ["keepsInnermost", "isCheapToRepeat"]>,
    PrecisionWith<["getErrorClass", "getFlops", "getReductionLength"]>]> {
  let summary = "interpolates to another size (ONNX Resize)";
  let description = [{
    `scales` holds one f32 a dimension of `axes`, the factor that coordinates are divided by;
    `roi` the starts, then the ends (f32) for `tf_crop_and_resize`, else empty. `antialias` widens
    linear and cubic filters where the input is shrunk. Dimensions not in `axes` stay. Coordinates and
    weights are f32, sums f32 (f64 for f64); integers are interpolated as f32, then rounded to nearest even.

    ```mlir
    %r = amp.resize %x axes [2, 3] scales (%sh, %sw) nearest asymmetric floor to [%h, %w]
       : tensor<1x8x?x?xf32> to tensor<1x8x?x?xf32>
    ```
  }];
  let arguments = (ins Amp_Tensor:$source, DenseI64ArrayAttr:$axes,
                       Variadic<F32>:$scales, Variadic<F32>:$roi, Variadic<Index>:$dims,
                       Amp_ResizeModeAttr:$mode, Amp_CoordinateModeAttr:$coordinate,
                       Amp_NearestModeAttr:$nearest,
                       DefaultValuedAttr<F32Attr, "-0.75f">:$cubic_a,
                       DefaultValuedAttr<F32Attr, "0.0f">:$extrapolation,
                       UnitAttr:$exclude_outside, UnitAttr:$antialias,
                       UnitAttr:$unsigned_source);
  let results = (outs Amp_Tensor:$result);
  let assemblyFormat = [{
    $source `axes` $axes `scales` ` ` `(` $scales `)` (`roi` ` ` `(` $roi^ `)`)?
    $mode $coordinate $nearest `to` ` ` `[` $dims `]`
    attr-dict `:` type($source) `to` type($result)
  }];
  let hasVerifier = 1;
}
