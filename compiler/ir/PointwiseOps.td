//===- PointwiseOps.td - Pointwise ops beyond arith and math -*- tablegen -*-===//

include "AmpBase.td"

def Amp_BroadcastOp : Amp_MoveOp<"broadcast", [ElementalMergeable, Permutable]> {
  let summary = "repeats an operand along dimensions of size one (numpy rules)";
  let description = [{
    Dimensions are aligned at the right; missing ones and those of static size 1 are
    repeated. A dynamic operand dimension must equal the result's, unless its
    position is in `maybe_one` (positions of operand dimensions), when it may be 1 at run
    time.

    ```mlir
    %b = amp.broadcast %x to [%n] : tensor<3x1xf32> to tensor<?x3x8xf32>
    ```
  }];
  let arguments = (ins Amp_Tensor:$source, Variadic<Index>:$dims,
                       DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$maybe_one);
  let results = (outs Amp_Tensor:$result);
  let assemblyFormat =
      "$source `to` ` ` `[` $dims `]` attr-dict `:` type($source) `to` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Amp_SplatOp : Amp_MoveOp<"splat", [ElementalMergeable, Permutable]> {
  let summary = "a tensor filled with one scalar";
  let description = [{
    ```mlir
    %t = amp.splat %v to [%n] : f32 to tensor<?x4xf32>
    ```
  }];
  let arguments = (ins Amp_Scalar:$value, Variadic<Index>:$dims);
  let results = (outs Amp_Tensor:$result);
  let assemblyFormat =
      "$value `to` ` ` `[` $dims `]` attr-dict `:` type($value) `to` type($result)";
  let hasVerifier = 1;
}

def Amp_CastOp : Amp_Op<"cast", [Pure, ReifyShapes, Elemental,
                                 SameOperandsAndResultShape,
                                 PrecisionWith<["getLegalFormats", "getErrorClass",
                                                "getFlops"]>]> {
  let summary = "converts the element type";
  let description = [{
    float -> float rounds to nearest even, once, whatever the widths; NaN stays NaN. What is
    too large becomes infinity (NaN in formats without one), or with `saturate` the largest
    finite value of 8-bit formats, as infinity does then.
    float -> integer truncates toward zero; NaN gives 0 and what is out of range saturates.
    integer -> float rounds to nearest even, once. integer -> integer wraps. To `i1`: not equal to
    zero. `unsigned_source` and `unsigned_result` say how integers are read.

    Formats that MLIR has no type for are bytes: `source_format` and `result_format` say what an
    `i8` holds. Of the source only the bits that its format has are looked at; a result is
    extended by zeros, or by the sign of an `i2` or `i4`. To integers under 8 bits: as to `i32`,
    of which the low bits are kept. To floats under 8 bits, which have neither infinity nor
    NaN: always saturated, NaN gives zero. To `f8e8m0`, a power of two: as `rounding` says, the
    sign dropped; what is not finite or too large becomes NaN, the latter not with `saturate`.

    ```mlir
    %q = amp.cast %x source {result_format = #amp<byte_format u4>} : tensor<8xf32> to tensor<8xi8>
    ```

    `origin` tells a conversion of the source model, whose rounding is part of its
    meaning, from one that ampc inserted, which may move and cancel.

    ```mlir
    %h = amp.cast %x source : tensor<?x4xf32> to tensor<?x4xf16>
    ```
  }];
  let arguments = (ins Amp_Tensor:$source, Amp_CastOriginAttr:$origin,
                       UnitAttr:$unsigned_source, UnitAttr:$unsigned_result,
                       UnitAttr:$saturate,
                       DefaultValuedAttr<Amp_ByteFormatAttr, "ByteFormat::Byte">:$source_format,
                       DefaultValuedAttr<Amp_ByteFormatAttr, "ByteFormat::Byte">:$result_format,
                       DefaultValuedAttr<Amp_ScaleRoundingAttr, "ScaleRounding::Nearest">:$rounding);
  let results = (outs Amp_Tensor:$result);
  let hasVerifier = 1;
  let assemblyFormat =
      "$source $origin attr-dict `:` type($source) `to` type($result)";
  let hasFolder = 1;
}

def Amp_RoundToOp : Amp_Op<"round", [Pure, ReifyShapes, Elemental,
                                  SameOperandsAndResultType,
                                  PrecisionWith<["getLegalFormats", "getErrorClass"]>]> {
  let summary = "rounds to numbers of a narrower format";
  let description = [{
    As a cast to the format and back would do it, in a tensor of f32. Says what may be stored in
    fewer bits, without saying where: `amp-narrow-buffers` decides that. Only ampc makes these:
    conversions of the source are `amp.cast`.

    ```mlir
    %y = amp.round %x to bf16 : tensor<?x4xf32>
    ```
  }];
  let arguments = (ins Amp_Tensor:$source, Amp_FormatAttr:$format);
  let results = (outs Amp_Tensor:$result);
  let assemblyFormat = "$source `to` $format attr-dict `:` type($source)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

class Amp_ActivationOp<string mnemonic>
    : Amp_Op<mnemonic, [Pure, ReifyShapes, Elemental, SameOperandsAndResultType,
                        PrecisionWith<["getErrorClass"]>]>;

def Amp_GeluOp : Amp_ActivationOp<"gelu"> {
  let summary = "Gaussian error linear unit";
  let description = [{
    `x/2 (1 + erf(x/sqrt 2))`, or with `tanh` the approximation
    `x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))` (Hendrycks and Gimpel, 2016).

    ```mlir
    %y = amp.gelu %x {tanh} : tensor<?x768xf32>
    ```
  }];
  let arguments = (ins Amp_FloatTensor:$source, UnitAttr:$tanh);
  let results = (outs Amp_FloatTensor:$result);
  let assemblyFormat = "$source attr-dict `:` type($source)";
}

def Amp_SigmoidOp : Amp_ActivationOp<"sigmoid"> {
  let summary = "logistic function";
  let description = [{
    `1 / (1 + exp(-x))`; saturates to 0 and 1 without overflow.

    ```mlir
    %y = amp.sigmoid %x : tensor<?x768xf32>
    ```
  }];
  let arguments = (ins Amp_FloatTensor:$source);
  let results = (outs Amp_FloatTensor:$result);
  let assemblyFormat = "$source attr-dict `:` type($source)";
}
