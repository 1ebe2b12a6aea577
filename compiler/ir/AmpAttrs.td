//===- AmpAttrs.td - Enums and attributes of amp ---------*- tablegen -*-===//

#ifndef AMP_ATTRS
#define AMP_ATTRS

include "AmpDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

class Amp_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let genSpecializedAttr = 0;
  let cppNamespace = "::amp";
}

def Amp_Format : Amp_Enum<"Format", "number format of storage or arithmetic", [
  I32EnumAttrCase<"F64", 0, "f64">, I32EnumAttrCase<"F32", 1, "f32">,
  I32EnumAttrCase<"TF32", 2, "tf32">, I32EnumAttrCase<"BF16", 3, "bf16">,
  I32EnumAttrCase<"F16", 4, "f16">, I32EnumAttrCase<"F8E4M3", 5, "f8e4m3">,
  I32EnumAttrCase<"F8E5M2", 6, "f8e5m2">]>;

def Amp_FormatAttr : EnumAttr<Amp_Dialect, Amp_Format, "format">;

def Amp_ErrorClass : Amp_Enum<"ErrorClass", "how an op makes rounding errors", [
  I32EnumAttrCase<"Exact", 0, "exact">,                 // moves or compares
  I32EnumAttrCase<"Integer", 1, "integer">,             // no float arithmetic
  I32EnumAttrCase<"Pointwise", 2, "pointwise">,         // + - * / min max
  I32EnumAttrCase<"Transcendental", 3, "transcendental">,
  I32EnumAttrCase<"Contraction", 4, "contraction">,
  I32EnumAttrCase<"Reduction", 5, "reduction">,
  I32EnumAttrCase<"Normalization", 6, "normalization">]>;

def Amp_CastOrigin : Amp_Enum<"CastOrigin", "who asked for a conversion", [
  I32EnumAttrCase<"Source", 0, "source">,  // part of the model: never elided
  I32EnumAttrCase<"Ampc", 1, "ampc">]>;    // ours: may move and cancel
def Amp_CastOriginAttr : EnumAttr<Amp_Dialect, Amp_CastOrigin, "origin">;

def Amp_ByteFormat : Amp_Enum<"ByteFormat", "what an i8 holds", [
  I32EnumAttrCase<"Byte", 0, "byte">,     // the integer itself
  // Integers of 2 and 4 bits, zero- and sign-extended.
  I32EnumAttrCase<"U2", 1, "u2">, I32EnumAttrCase<"I2", 2, "i2">,
  I32EnumAttrCase<"U4", 3, "u4">, I32EnumAttrCase<"I4", 4, "i4">,
  // Floats (OCP Microscaling Formats) as codes in the low bits.
  I32EnumAttrCase<"F4E2M1", 5, "f4e2m1">, I32EnumAttrCase<"F6E2M3", 6, "f6e2m3">,
  I32EnumAttrCase<"F6E3M2", 7, "f6e3m2">, I32EnumAttrCase<"F8E8M0", 8, "f8e8m0">]>;
def Amp_ByteFormatAttr : EnumAttr<Amp_Dialect, Amp_ByteFormat, "byte_format">;

def Amp_ScaleRounding : Amp_Enum<"ScaleRounding", "rounding to a power of two", [
  I32EnumAttrCase<"Nearest", 0, "nearest">,  // ties up
  I32EnumAttrCase<"Up", 1, "up">,            // away from zero
  I32EnumAttrCase<"Down", 2, "down">]>;      // toward zero
def Amp_ScaleRoundingAttr
    : EnumAttr<Amp_Dialect, Amp_ScaleRounding, "scale_rounding">;

def Amp_ReduceKind : Amp_Enum<"ReduceKind", "combining function", [
  I32EnumAttrCase<"Sum", 0, "sum">, I32EnumAttrCase<"Prod", 1, "prod">,
  I32EnumAttrCase<"Max", 2, "max">, I32EnumAttrCase<"Min", 3, "min">]>;
def Amp_ReduceKindAttr : EnumAttr<Amp_Dialect, Amp_ReduceKind, "reduce_kind">;

def Amp_PoolKind : Amp_Enum<"PoolKind", "pooling function", [
  I32EnumAttrCase<"Max", 0, "max">, I32EnumAttrCase<"Sum", 1, "sum">,
  I32EnumAttrCase<"Average", 2, "average">]>;
def Amp_PoolKindAttr : EnumAttr<Amp_Dialect, Amp_PoolKind, "pool_kind">;

def Amp_NormKind : Amp_Enum<"NormKind", "normalization statistics", [
  I32EnumAttrCase<"Layer", 0, "layer">, I32EnumAttrCase<"RMS", 1, "rms">]>;
def Amp_NormKindAttr : EnumAttr<Amp_Dialect, Amp_NormKind, "norm_kind">;

def Amp_PadMode : Amp_Enum<"PadMode", "what lies outside the operand", [
  I32EnumAttrCase<"Constant", 0, "constant">, I32EnumAttrCase<"Edge", 1, "edge">,
  I32EnumAttrCase<"Reflect", 2, "reflect">, I32EnumAttrCase<"Wrap", 3, "wrap">]>;
def Amp_PadModeAttr : EnumAttr<Amp_Dialect, Amp_PadMode, "pad_mode">;

def Amp_ScatterKind : Amp_Enum<"ScatterKind", "how updates meet old values", [
  I32EnumAttrCase<"Replace", 0, "replace">, I32EnumAttrCase<"Add", 1, "add">,
  I32EnumAttrCase<"Mul", 2, "mul">, I32EnumAttrCase<"Max", 3, "max">,
  I32EnumAttrCase<"Min", 4, "min">]>;
def Amp_ScatterKindAttr : EnumAttr<Amp_Dialect, Amp_ScatterKind, "scatter_kind">;

def Amp_ResizeMode : Amp_Enum<"ResizeMode", "interpolation", [
  I32EnumAttrCase<"Nearest", 0, "nearest">, I32EnumAttrCase<"Linear", 1, "linear">,
  I32EnumAttrCase<"Cubic", 2, "cubic">]>;
def Amp_ResizeModeAttr : EnumAttr<Amp_Dialect, Amp_ResizeMode, "resize_mode">;

def Amp_CoordinateMode : Amp_Enum<"CoordinateMode",
    "output index to input coordinate (ONNX Resize)", [
  I32EnumAttrCase<"HalfPixel", 0, "half_pixel">,
  I32EnumAttrCase<"HalfPixelSymmetric", 1, "half_pixel_symmetric">,
  I32EnumAttrCase<"PytorchHalfPixel", 2, "pytorch_half_pixel">,
  I32EnumAttrCase<"AlignCorners", 3, "align_corners">,
  I32EnumAttrCase<"Asymmetric", 4, "asymmetric">,
  I32EnumAttrCase<"TfCropAndResize", 5, "tf_crop_and_resize">,
  I32EnumAttrCase<"TfHalfPixelForNN", 6, "tf_half_pixel_for_nn">]>;
def Amp_CoordinateModeAttr
    : EnumAttr<Amp_Dialect, Amp_CoordinateMode, "coordinate_mode">;

def Amp_NearestMode : Amp_Enum<"NearestMode", "rounding of a nearest coordinate", [
  I32EnumAttrCase<"RoundPreferFloor", 0, "round_prefer_floor">,
  I32EnumAttrCase<"RoundPreferCeil", 1, "round_prefer_ceil">,
  I32EnumAttrCase<"Floor", 2, "floor">, I32EnumAttrCase<"Ceil", 3, "ceil">]>;
def Amp_NearestModeAttr : EnumAttr<Amp_Dialect, Amp_NearestMode, "nearest_mode">;

class Amp_Attr<string name, string mnemonicName> : AttrDef<Amp_Dialect, name> {
  let mnemonic = mnemonicName;
}

def Amp_AlgorithmAttr : Amp_Attr<"Algorithm", "algorithm"> {
  let summary = "how a contraction computes";
  let description = [{
    The format its operands are multiplied in, the format products are accumulated
    in, and the number of passes (3 for 3xTF32 and bf16x3, else 1). Operands hold numbers of the
    format only, though their type may be wider: nothing is rounded on the way. With 16-bit products
    the order of the sum is the target's (its dot-product instructions' own), so bits agree between
    targets within bounds only.

    ```mlir
    #amp.algorithm<multiply = f32, accumulate = f32, passes = 1>
    ```
  }];
  let parameters = (ins EnumParameter<Amp_Format>:$multiply,
                        EnumParameter<Amp_Format>:$accumulate,
                        "unsigned":$passes);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Amp_Place : Amp_Enum<"Place", "who can read memory", [
  I32EnumAttrCase<"Host", 0, "host">, I32EnumAttrCase<"Device", 1, "device">]>;

def Amp_SpaceAttr : Amp_Attr<"Space", "space"> {
  let summary = "memory space of a buffer after bufferization";
  let description = [{
    `host` memory is addressable by host code, `device` memory only by kernels. On CPU
    targets all memory is host memory and the attribute is absent.

    ```mlir
    memref<4xf32, #amp.space<device>>
    ```
  }];
  let parameters = (ins EnumParameter<Amp_Place>:$value);
  let assemblyFormat = "`<` $value `>`";
}

def Amp_ScheduleAttr : Amp_Attr<"Schedule", "schedule"> {
  let summary = "how a kernel's loops are cut";
  let description = [{
    Whole numbers by name, sorted. Which names there are and what they may be, the emitter
    of the kernel's root says. A schedule decides how fast a kernel is and never which
    bits it computes.

    ```mlir
    #amp.schedule<block_rows = 196, k_steps = 384, tile_rows = 14>
    ```
  }];
  let parameters = (ins "::mlir::DictionaryAttr":$entries);
  let hasCustomAssemblyFormat = 1;
  let builders = [
    AttrBuilder<(ins "::llvm::ArrayRef<std::pair<::llvm::StringRef, int64_t>>":$numbers)>
  ];
  let extraClassDeclaration = [{
    /// The number called `name`, if the schedule has one.
    std::optional<int64_t> get(::llvm::StringRef name) const;
    /// As it prints: `#amp.schedule<...>`.
    std::string str() const;
  }];
}

#endif // AMP_ATTRS
