//===- ContractionOps.td - Matrix products and convolutions -*- tablegen -*-===//

include "AmpBase.td"

class Amp_ContractionOp<string mnemonic, list<Trait> traits = [],
                        list<string> rootMethods = [],
                        list<string> contractionMethods = []>
    : Amp_RootOp<mnemonic,
          ["getLegalFormats", "getErrorClass", "getFlops", "getReductionLength"],
          [DeclareOpInterfaceMethods<Amp_KernelRootOpInterface, rootMethods>,
           DeclareOpInterfaceMethods<Amp_ContractionOpInterface, contractionMethods>] # traits> {
  let results = (outs Amp_Tensor:$result);
  let hasVerifier = 1;
}

def Amp_MatmulOp : Amp_ContractionOp<"matmul"> {
  let summary = "batched matrix product with an optional bias";
  let description = [{
    `result[b.., m, n] = bias + sum_k lhs[b.., m, k] * rhs[b.., k, n]`, k ascending. Both have rank >= 2;
    leading dimensions follow numpy broadcasting where 1 is static. `transpose_lhs` and
    `transpose_rhs` swap the last two dimensions. `bias` broadcasts to the result and starts
    the sum. Without `algorithm`, products are formed and accumulated in f32 (f64 and integers
    in their own type). Where the result is f32 each operand may be f32, f16 or bf16, and is widened
    as it is read; so may those of `amp.conv`.

    ```mlir
    %y = amp.matmul %a, %b {transpose_rhs} : (tensor<?x64xf32>, tensor<10x64xf32>) -> tensor<?x10xf32>
    ```

    With `panels` the right operand is cut along its columns, `[b.., panels, k, columns]`, the
    last panel filled up with zeros, and the result has a static number of columns.

    ```mlir
    %y = amp.matmul %a, %b {panels} : (tensor<?x64xf32>, tensor<2x64x16xf32>) -> tensor<?x24xf32>
    ```

    With `pairs` too, two neighbouring k of a column are adjacent, as dot-product instructions read
    them: `[b.., panels, k / 2, columns, 2]`, k filled up with zeros.

    ```mlir
    %y = amp.matmul %a, %b {panels, pairs, algorithm = #amp.algorithm<multiply = bf16, accumulate = f32, passes = 1>}
       : (tensor<?x50xbf16>, tensor<2x32x16x2xbf16>) -> tensor<?x24xf32>
    ```
  }];
  let arguments = (ins Amp_Tensor:$lhs, Amp_Tensor:$rhs, Optional<Amp_Tensor>:$bias,
                       UnitAttr:$transpose_lhs, UnitAttr:$transpose_rhs,
                       UnitAttr:$unsigned_lhs, UnitAttr:$unsigned_rhs,
                       OptionalAttr<Amp_AlgorithmAttr>:$algorithm, UnitAttr:$panels,
                       UnitAttr:$pairs);
  let assemblyFormat = [{
    $lhs `,` $rhs (`bias` $bias^)? attr-dict `:` functional-type(operands, results)
  }];
  let extraClassDeclaration = [{
    /// Leading dimensions of the right operand that are not a matrix's.
    int64_t getRhsBatchRank();
    /// Dimension of the right operand that is summed over.
    int64_t getRhsDepthDim();
  }];
}

def Amp_ConvOp : Amp_ContractionOp<"conv", [PermutableWithGain], ["readsTransposed"]> {
  let summary = "convolution over 1 to 3 spatial dimensions";
  let description = [{
    Operands are NC... with a filter OI..., or with `channels_last` N...C with a filter ...IO.
    `pads` holds the low pads, then the high pads, one a spatial dimension; they are zeros.
    `bias` has one element an output channel and starts the sum, which in both layouts runs
    over filter positions in row-major order, then input channels.

    ```mlir
    %y = amp.conv %x, %w bias %b {strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>,
         pads = array<i64: 1, 1, 1, 1>, groups = 1 : i64}
       : (tensor<?x3x?x?xf32>, tensor<8x3x3x3xf32>, tensor<8xf32>) -> tensor<?x8x?x?xf32>
    ```

    With `panels` (and `channels_last`) the filter is cut along its output channels:
    `[groups * panels, ..., I, columns]`, the last panel of each group filled up with zeros.
    Back ends read such filters from the first element to the last. With `pairs` too (and one
    group), two neighbouring input channels are adjacent, `[panels, ..., I / 2, columns, 2]`, I
    filled up with zeros.

    ```mlir
    %y = amp.conv %x, %w {channels_last, panels, strides = array<i64: 1>, dilations = array<i64: 1>,
         pads = array<i64: 0, 0>, groups = 1 : i64}
       : (tensor<?x?x64xf32>, tensor<2x3x64x16xf32>) -> tensor<?x?x24xf32>
    ```
  }];
  let arguments = (ins Amp_Tensor:$input, Amp_Tensor:$filter, Optional<Amp_Tensor>:$bias,
                       DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$dilations,
                       DenseI64ArrayAttr:$pads, I64Attr:$groups,
                       OptionalAttr<Amp_AlgorithmAttr>:$algorithm,
                       UnitAttr:$channels_last, UnitAttr:$panels, UnitAttr:$pairs);
  let assemblyFormat = [{
    $input `,` $filter (`bias` $bias^)? attr-dict `:` functional-type(operands, results)
  }];
  let extraClassDeclaration = [{
    /// Dimensions of the input and the result.
    int64_t getChannelDim();
    int64_t getSpatialDim(int64_t i) { return i + (getChannelsLast() ? 1 : 2); }
    /// Dimensions of the filter; the channels of one group's input.
    int64_t getFilterChannelDim();
    int64_t getFilterSpatialDim(int64_t i);
    /// Channels of the result, or `kDynamic`.
    int64_t getOutChannels();
    /// Each channel of the result depends on its own of the input alone.
    bool isDepthwise();
  }];
}

def Amp_ConvTransposeOp : Amp_ContractionOp<"conv_transpose"> {
  let summary = "transposed convolution, NC..., filter IO...";
  let description = [{
    The adjoint of `amp.conv`: size `stride * (in - 1) + output_padding + dilation * (k - 1) + 1 - pads`.

    ```mlir
    %y = amp.conv_transpose %x, %w {strides = array<i64: 2>, dilations = array<i64: 1>,
         pads = array<i64: 0, 0>, output_padding = array<i64: 0>, groups = 1 : i64}
       : (tensor<1x3x5xf32>, tensor<3x8x2xf32>) -> tensor<1x8x10xf32>
    ```
  }];
  let arguments = (ins Amp_Tensor:$input, Amp_Tensor:$filter, Optional<Amp_Tensor>:$bias,
                       DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$dilations,
                       DenseI64ArrayAttr:$pads, DenseI64ArrayAttr:$output_padding,
                       I64Attr:$groups, OptionalAttr<Amp_AlgorithmAttr>:$algorithm);
  let assemblyFormat = [{
    $input `,` $filter (`bias` $bias^)? attr-dict `:` functional-type(operands, results)
  }];
}

def Amp_AttentionOp : Amp_ContractionOp<"attention", [PermutableWithGain], [], ["getFactors"]> {
  let summary = "softmax(scale * q k^T + mask) v, per head";
  let description = [{
    `query` is `[batch, heads, m, d]`, `key` `[batch, kv_heads, n, d]`, `value`
    `[batch, kv_heads, n, e]`, all of one element type; `heads` is a multiple of `kv_heads`. `mask`
    is added and broadcasts to `[batch, heads, m, n]`. `causal` hides keys after the query's position.

    ```mlir
    %y = amp.attention %q, %k, %v {scale = 0.125 : f32}
       : (tensor<?x12x?x64xf32>, tensor<?x12x?x64xf32>, tensor<?x12x?x64xf32>) -> tensor<?x12x?x64xf32>
    ```

    With `heads_inner` positions come before heads in all of them, but for the mask: `[batch, m, heads, d]`.

    ```mlir
    %y = amp.attention %q, %k, %v mask %mask {heads_inner, scale = 0.125 : f32}
       : (tensor<?x?x12x64xf32>, tensor<?x?x12x64xf32>, tensor<?x?x12x64xf32>, tensor<?x1x1x?xf32>)
       -> tensor<?x?x12x64xf32>
    ```

    Computed in f32, 64 keys at a time, so that scores never are in memory as a whole (Milakov and
    Gimelshein, "Online normalizer calculation for softmax", 2018; Dao et al., "FlashAttention", 2022).
    Kept of the keys so far are their largest score, the sum of the exponentials and that of the
    values times the exponentials, both as if the largest score were 0. A block whose scores are
    larger scales them down first; then sums go on, keys ascending, the block's exponentials summed
    up by themselves. At the end values are multiplied by the reciprocal of the sum. A row of scores
    that are all -inf gives NaN, as `amp.softmax` does; no keys give zero.
  }];
  let arguments = (ins Amp_FloatTensor:$query, Amp_FloatTensor:$key, Amp_FloatTensor:$value,
                       Optional<Amp_FloatTensor>:$mask, F32Attr:$scale, UnitAttr:$causal,
                       UnitAttr:$heads_inner, OptionalAttr<Amp_AlgorithmAttr>:$algorithm);
  let assemblyFormat = [{
    $query `,` $key `,` $value (`mask` $mask^)? attr-dict
    `:` functional-type(operands, results)
  }];
  let extraClassDeclaration = [{
    /// Dimensions of query, key, value and result.
    int64_t getHeadDim() { return getHeadsInner() ? 2 : 1; }
    int64_t getPositionDim() { return getHeadsInner() ? 1 : 2; }
    /// Whether a kernel can hold a tile of it: `d` and `e` are known and not too
    /// large, sums are formed in f32.
    static bool fitsKernel(::mlir::RankedTensorType query, ::mlir::RankedTensorType value);
    bool fitsKernel();
  }];
}
