//===- Passes.td - Target-independent passes -------------*- tablegen -*-===//

#ifndef AMPC_PASSES
#define AMPC_PASSES

include "mlir/Pass/PassBase.td"

def Canonicalize : Pass<"amp-canonicalize"> {
  let summary = "canonicalize, and keep the sizes of what folds to a constant";
  let description = [{
    Upstream's canonicalization, with two differences for tensors. Its folders do not mind
    sizes that are dynamic: what they make a constant of becomes a splat here. And no
    pattern gives the tensor that a loop carries the size that it starts with.

    ```mlir
    %y = arith.subi %x, %x : tensor<?x4xi64>
    ```
    ==>
    ```mlir
    %n = tensor.dim %x, %c0 : tensor<?x4xi64>
    %y = amp.splat %c0_i64 to [%n] : i64 to tensor<?x4xi64>
    ```
  }];
  let dependentDialects = ["::amp::AmpDialect", "::mlir::arith::ArithDialect",
                           "::mlir::tensor::TensorDialect"];
}

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

def FormAttention : Pass<"amp-form-attention", "::mlir::func::FuncOp"> {
  let summary = "recognize attention";
  let description = [{
    A softmax over the last dimension between two products, of which the first may be
    multiplied or divided by a constant, and added to, becomes `amp.attention`: then scores are
    never in memory as a whole. They must have no other use, and heads a size that is known.

    Numbers of queries and keys do not matter, which also keeps a library for one length and that for
    any equal in every bit. From two queries on it is faster than products and softmax, which read and
    write all scores several times; for one query, whose vectors have one lane in use, it takes up to
    some microseconds a head more where keys are few.

    ```mlir
    %t = amp.transpose %k [0, 1, 3, 2] : tensor<2x4x?x8xf32> to tensor<2x4x8x?xf32>
    %s = amp.matmul %q, %t : (tensor<2x4x?x8xf32>, tensor<2x4x8x?xf32>) -> tensor<2x4x?x?xf32>
    %c = amp.splat %half to [%m, %n] : f32 to tensor<2x4x?x?xf32>
    %1 = arith.mulf %s, %c : tensor<2x4x?x?xf32>
    %b = amp.broadcast %mask to [%m, %n] : tensor<2x1x1x?xf32> to tensor<2x4x?x?xf32>
    %2 = arith.addf %1, %b : tensor<2x4x?x?xf32>
    %p = amp.softmax %2 3 : tensor<2x4x?x?xf32>
    %y = amp.matmul %p, %v : (tensor<2x4x?x?xf32>, tensor<2x4x?x8xf32>) -> tensor<2x4x?x8xf32>
    ```
    ==>
    ```mlir
    %y = amp.attention %q, %k, %v mask %mask {scale = 5.0e-01 : f32}
       : (tensor<2x4x?x8xf32>, tensor<2x4x?x8xf32>, tensor<2x4x?x8xf32>, tensor<2x1x1x?xf32>)
       -> tensor<2x4x?x8xf32>
    ```
  }];
  let dependentDialects = ["::amp::AmpDialect"];
}

def DecomposeOps : Pass<"amp-decompose-ops", "::mlir::func::FuncOp"> {
  let summary = "write compositions out in simpler ops";
  let description = [{
    Padded convolutions become a pad and a convolution that stays inside its
    operand, transposed convolutions become convolutions, attention that a kernel can't hold a
    tile of becomes products and a softmax, concats of many operands become concats of concats.

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

def HoistInvariants : Pass<"amp-hoist-invariants", "::mlir::func::FuncOp"> {
  let summary = "move tensors that every iteration computes alike out of loops";
  let description = [{
    Only what gets a buffer of its own; broadcasts and the like stay and are repeated in
    their users. Runs on tensors, before `amp-form-kernels`.

    ```mlir
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %h0) -> (tensor<2x4xf32>) {
      %t = amp.transpose %w [1, 0] : tensor<4x4xf32> to tensor<4x4xf32>
      %p = amp.matmul %h, %t : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
      scf.yield %p : tensor<2x4xf32>
    }
    ```
    ==>
    ```mlir
    %t = amp.transpose %w [1, 0] : tensor<4x4xf32> to tensor<4x4xf32>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %h0) -> (tensor<2x4xf32>) {
      %p = amp.matmul %h, %t : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
      scf.yield %p : tensor<2x4xf32>
    }
    ```
  }];
}

def AssignLayout : Pass<"amp-assign-layout", "::mlir::func::FuncOp"> {
  let summary = "choose the order of dimensions";
  let description = [{
    Convolutions and pooling have faster kernels with channels last. The other order spreads
    to what ops with `PermutableOpInterface`, and pointwise ops, can carry it to; of those
    the ones work in it that make transposes cost the least against what kernels gain.
    Transposes of the model dissolve on the way, constants are transposed at compile time. No
    bit of a result depends on the choice.

    ```mlir
    %p = amp.pad %x, %zero low [0, 0, 1] interior [0, 0, 0] constant to [] {grows}
       : tensor<1x256x998xf32>, f32 to tensor<1x256x1000xf32>
    %y = amp.conv %p, %w {pads = array<i64: 0, 0>, ...}
       : (tensor<1x256x1000xf32>, tensor<256x256x3xf32>) -> tensor<1x256x998xf32>
    %z = math.absf %y : tensor<1x256x998xf32>
    ```
    ==>
    ```mlir
    %0 = amp.transpose %x [0, 2, 1] : tensor<1x256x998xf32> to tensor<1x998x256xf32>
    %p = amp.pad %0, %zero low [0, 1, 0] interior [0, 0, 0] constant to [] {grows}
       : tensor<1x998x256xf32>, f32 to tensor<1x1000x256xf32>
    %1 = amp.transpose %w [2, 1, 0] : tensor<256x256x3xf32> to tensor<3x256x256xf32>
    %y = amp.conv %p, %1 {channels_last, pads = array<i64: 0, 0>, ...}
       : (tensor<1x1000x256xf32>, tensor<3x256x256xf32>) -> tensor<1x998x256xf32>
    %2 = math.absf %y : tensor<1x998x256xf32>
    %z = amp.transpose %2 [0, 2, 1] : tensor<1x998x256xf32> to tensor<1x256x998xf32>
    ```
  }];
  let dependentDialects = ["::amp::AmpDialect", "::mlir::tensor::TensorDialect"];
}

def FoldScales : Pass<"amp-fold-scales", "::mlir::func::FuncOp"> {
  let summary = "fold scales and shifts of channels into a convolution's weights";
  let description = [{
    A convolution by weights, times and plus weights that have an element for each output
    channel (a batch normalization), becomes one with other weights. Rounding differs in the
    last bits: products are rounded in the filter instead of in the result, and sums start with
    the shift.

    ```mlir
    %y = amp.conv %x, %w {...} : (tensor<?x3x8xf32>, tensor<4x3x3xf32>) -> tensor<?x4x6xf32>
    %0 = amp.broadcast %s to [%n] : tensor<4x1xf32> to tensor<?x4x6xf32>
    %1 = arith.mulf %y, %0 : tensor<?x4x6xf32>
    %2 = amp.broadcast %t to [%n] : tensor<4x1xf32> to tensor<?x4x6xf32>
    %3 = arith.addf %1, %2 : tensor<?x4x6xf32>
    ```
    ==>
    ```mlir
    %0 = amp.reshape %s to [] : tensor<4x1xf32> to tensor<4x1x1xf32>
    %1 = amp.broadcast %0 to [] : tensor<4x1x1xf32> to tensor<4x3x3xf32>
    %2 = arith.mulf %w, %1 : tensor<4x3x3xf32>
    %3 = amp.reshape %t to [] : tensor<4x1xf32> to tensor<4xf32>
    %y = amp.conv %x, %2 bias %3 {...} : (tensor<?x3x8xf32>, tensor<4x3x3xf32>, tensor<4xf32>) -> tensor<?x4x6xf32>
    ```
  }];
  let dependentDialects = ["::amp::AmpDialect", "::mlir::arith::ArithDialect"];
}

def PackPanels : Pass<"amp-pack-panels", "::mlir::func::FuncOp"> {
  let summary = "cut right operands of contractions into panels";
  let description = [{
    Convolutions with channels last get their filters in panels of two or three vectors of
    output channels, which kernels read from front to back. Depthwise filters stay. Of matrix
    products, those get their right operand in panels where weights alone decide it; others
    would be rearranged at each run.

    With `dot-pairs`, for targets whose dot-product instructions add products of pairs, those
    whose algorithm asks for products in bf16 get panels of 16 columns in pairs (see amp.matmul),
    k in multiples of 32.

    ```mlir
    %w = amp.weight @w : tensor<8x16xf32>
    %y = amp.matmul %x, %w : (tensor<?x8xf32>, tensor<8x16xf32>) -> tensor<?x16xf32>
    ```
    ==>
    ```mlir
    %w = amp.weight @w : tensor<8x16xf32>
    %0 = amp.reshape %w to [] : tensor<8x16xf32> to tensor<1x8x16xf32>
    %1 = amp.reshape %0 to [] : tensor<1x8x16xf32> to tensor<1x8x1x16xf32>
    %2 = amp.transpose %1 [0, 2, 1, 3] : tensor<1x8x1x16xf32> to tensor<1x1x8x16xf32>
    %3 = amp.reshape %2 to [] : tensor<1x1x8x16xf32> to tensor<1x8x16xf32>
    %y = amp.matmul %x, %3 {panels} : (tensor<?x8xf32>, tensor<1x8x16xf32>) -> tensor<?x16xf32>
    ```
  }];
  let options = [
    Option<"vectorBytes", "vector-bytes", "int64_t", "32",
           "Bytes of a vector register of the target">,
    Option<"dotPairs", "dot-pairs", "bool", "false",
           "Whether the target has dot-product instructions for bf16">
  ];
  let dependentDialects = ["::amp::AmpDialect"];
}

def AssignPrecision : Pass<"amp-assign-precision", "::mlir::func::FuncOp"> {
  let summary = "decide which format each op may use";
  let description = [{
    Labels ops with the format that their result is kept in and, of contractions, that they
    multiply: `amp.precision`. `uniform` gives one format to every op that may have it.

    ```mlir
    %y = amp.matmul %x, %w : (tensor<?x8xf32>, tensor<8x16xf32>) -> tensor<?x16xf32>
    ```
    ==> with `uniform=bf16`
    ```mlir
    %y = amp.matmul %x, %w {amp.precision = #amp<format bf16>} : (tensor<?x8xf32>, tensor<8x16xf32>) -> tensor<?x16xf32>
    ```
  }];
  let options = [
    Option<"uniform", "uniform", "std::string", "\"f32\"", "The format of all ops">
  ];
}

def MaterializePrecision : Pass<"amp-materialize-precision", "::mlir::func::FuncOp"> {
  let summary = "turn the formats of ops into roundings";
  let description = [{
    The result of a labelled op is rounded to its format where it leaves the source's node
    (see SourceNodes.h) but not where it leaves the function. Contractions multiply numbers of
    their format and add in f32; weights that they multiply by become narrow.

    ```mlir
    %w = amp.weight @w : tensor<8x16xf32>
    %y = amp.matmul %x, %w {amp.precision = #amp<format bf16>} : (tensor<?x8xf32>, tensor<8x16xf32>) -> tensor<?x16xf32>
    %z = math.tanh %y : tensor<?x16xf32>
    ```
    ==>
    ```mlir
    %w = amp.weight @w : tensor<8x16xf32>
    %0 = amp.round %x to bf16 : tensor<?x8xf32>
    %1 = amp.cast %w ampc : tensor<8x16xf32> to tensor<8x16xbf16>
    %y = amp.matmul %0, %1 {algorithm = #amp.algorithm<multiply = bf16, accumulate = f32, passes = 1>}
      : (tensor<?x8xf32>, tensor<8x16xbf16>) -> tensor<?x16xf32>
    %2 = amp.round %y to bf16 : tensor<?x16xf32>
    %z = math.tanh %2 : tensor<?x16xf32>
    ```
  }];
  let dependentDialects = ["::amp::AmpDialect"];
}

def FoldCasts : Pass<"amp-fold-casts", "::mlir::func::FuncOp"> {
  let summary = "drop roundings that round nothing";
  let description = [{
    Of numbers that have the format already: they were rounded before, and what was done to
    them since moves, compares or chooses.

    ```mlir
    %0 = amp.round %x to bf16 : tensor<?x8xf32>
    %1 = arith.maximumf %0, %zero : tensor<?x8xf32>
    %2 = amp.round %1 to bf16 : tensor<?x8xf32>
    ```
    ==>
    ```mlir
    %0 = amp.round %x to bf16 : tensor<?x8xf32>
    %1 = arith.maximumf %0, %zero : tensor<?x8xf32>
    ```
  }];
}

def ElideRounding : Pass<"amp-elide-rounding", "::mlir::func::FuncOp"> {
  let summary = "round once, where kernels store";
  let description = [{
    Inside a kernel roundings go; what it stores is rounded where it was, or is known to be made
    of rounded numbers alone. `strict` keeps all roundings.

    ```mlir
    %r = amp.kernel ins(%a = %x : tensor<8xf32>) outs(%init : tensor<8xf32>) {
      %0 = math.exp %a : tensor<8xf32>
      %1 = amp.round %0 to bf16 : tensor<8xf32>
      %2 = math.tanh %1 : tensor<8xf32>
      %3 = amp.round %2 to bf16 : tensor<8xf32>
      %4 = arith.negf %3 : tensor<8xf32>
      amp.yield %4 : tensor<8xf32>
    } : tensor<8xf32>
    ```
    ==>
    ```mlir
    %r = amp.kernel ins(%a = %x : tensor<8xf32>) outs(%init : tensor<8xf32>) {
      %0 = math.exp %a : tensor<8xf32>
      %1 = math.tanh %0 : tensor<8xf32>
      %2 = arith.negf %1 : tensor<8xf32>
      %3 = amp.round %2 to bf16 : tensor<8xf32>
      amp.yield %3 : tensor<8xf32>
    } : tensor<8xf32>
    ```
  }];
  let options = [
    Option<"strict", "strict", "bool", "false", "Keep every rounding">
  ];
  let dependentDialects = ["::amp::AmpDialect"];
}

def NarrowBuffers : Pass<"amp-narrow-buffers", "::mlir::func::FuncOp"> {
  let summary = "store rounded values in fewer bits";
  let description = [{
    Buffers of which every kernel that writes them rounds to bf16 or f16, and that only
    kernels read, hold that type. No value changes. Pads and concats between kernels hold
    what is written into them.

    ```mlir
    %r = amp.kernel ins(%a = %x : tensor<8xf32>) outs(%init : tensor<8xf32>) {
      %0 = amp.round %a to bf16 : tensor<8xf32>
      amp.yield %0 : tensor<8xf32>
    } : tensor<8xf32>
    %s = amp.kernel ins(%b = %r : tensor<8xf32>) ...
    ```
    ==>
    ```mlir
    %r = amp.kernel ins(%a = %x : tensor<8xf32>) outs(%init : tensor<8xbf16>) {
      %0 = amp.cast %a ampc : tensor<8xf32> to tensor<8xbf16>
      amp.yield %0 : tensor<8xbf16>
    } : tensor<8xbf16>
    %s = amp.kernel ins(%b = %r : tensor<8xbf16>) ... {
      %0 = arith.extf %b : tensor<8xbf16> to tensor<8xf32>
      ...
    ```
  }];
  let dependentDialects = ["::amp::AmpDialect", "::mlir::arith::ArithDialect"];
}

def NarrowWeights : Pass<"amp-narrow-weights", "::mlir::ModuleOp"> {
  let summary = "store weights of 32 bits in 16";
  let description = [{
    Works on kernels on tensors. Weights that contractions multiply by, or that are read element
    by element (tables of embeddings), are stored in a 16-bit format and widened where they are
    read; all arithmetic stays in f32. Small weights stay, and those with values beyond the
    format's range.

    ```mlir
    amp.weight_data @w = dense_resource<w> : tensor<4x64x16xf32>
    %w = amp.weight @w : tensor<4x64x16xf32>
    %y = amp.kernel ins(%a = %x, %b = %w : tensor<?x64xf32>, tensor<4x64x16xf32>) ... {
      %p = amp.matmul %a, %b {panels} : (tensor<?x64xf32>, tensor<4x64x16xf32>) -> tensor<?x64xf32>
    ```
    ==>
    ```mlir
    amp.weight_data @w = dense_resource<w_1> : tensor<4x64x16xf16>
    %w = amp.weight @w : tensor<4x64x16xf16>
    %y = amp.kernel ins(%a = %x, %b = %w : tensor<?x64xf32>, tensor<4x64x16xf16>) ... {
      %p = amp.matmul %a, %b {panels} : (tensor<?x64xf32>, tensor<4x64x16xf16>) -> tensor<?x64xf32>
    ```
  }];
  let options = [
    Option<"format", "format", "std::string", "\"f16\"", "f16 or bf16">
  ];
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

    A constant pad becomes a buffer whose border is filled, slab by slab, and into which
    its operand is inserted. Kernels whose results have no other use write into their
    slice, so that nothing is copied.
  }];
  let dependentDialects = ["::amp::AmpDialect", "::mlir::tensor::TensorDialect"];
}

def Bufferize : Pass<"amp-bufferize", "::mlir::ModuleOp"> {
  let summary = "put tensors of host code into buffers";
  let description = [{
    One-shot bufferization. Arguments are never written, buffers are contiguous at the
    function's boundary, kernels keep their bodies on tensors.

    ```mlir
    %init = tensor.empty(%n) : tensor<?xf32>
    %r = amp.kernel ins(%a = %x : tensor<?xf32>) outs(%init : tensor<?xf32>) {
      %e = math.exp %a : tensor<?xf32>
      amp.yield %e : tensor<?xf32>
    } : tensor<?xf32>
    ```
    ==>
    ```mlir
    %init = memref.alloc(%n) : memref<?xf32>
    amp.kernel ins(%a = %x : memref<?xf32>) outs(%init : memref<?xf32>) args(tensor<?xf32>) {
      %e = math.exp %a : tensor<?xf32>
      amp.yield %e : tensor<?xf32>
    }
    ```
  }];
  let dependentDialects = [
    "::amp::AmpDialect", "::mlir::bufferization::BufferizationDialect",
    "::mlir::memref::MemRefDialect"];
}

def BoolToByte : Pass<"amp-bool-to-byte", "::mlir::ModuleOp"> {
  let summary = "let booleans in buffers take a byte";
  let description = [{
    A vector of `i1` in memory is packed bits, scalars take a byte each; so buffers hold `i8`.
    Any byte but 0 is true. Bodies of kernels, on tensors, still compute on `i1`.

    ```mlir
    %b = memref.load %m[%i] : memref<4xi1>
    ```
    ==>
    ```mlir
    %0 = memref.load %m[%i] : memref<4xi8>
    %b = arith.cmpi ne, %0, %zero : i8
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def HoistShapes : Pass<"amp-hoist-shapes", "::mlir::func::FuncOp"> {
  let summary = "compute what depends on the inputs alone first";
  let description = [{
    Moves index arithmetic, reads of inputs and weights, and the checks on them to the front
    of the function, in their order. `amp-plan-arena` then knows the sizes of buffers.

    ```mlir
    %a = memref.alloc(%n) : memref<?xf32>
    %m = arith.addi %n, %c1 : index
    %b = memref.alloc(%m) : memref<?xf32>
    ```
    ==>
    ```mlir
    %m = arith.addi %n, %c1 : index
    %a = memref.alloc(%n) : memref<?xf32>
    %b = memref.alloc(%m) : memref<?xf32>
    ```
  }];
}

def PlanArena : Pass<"amp-plan-arena", "::mlir::func::FuncOp"> {
  let summary = "give every buffer its place";
  let description = [{
    What the function returns is written to output buffers, other allocations become
    slices of an arena if their sizes are known before the first of them, else they come from
    the side arena. A returned value that is no buffer of its own is copied. The attributes of
    the results move to the function's `amp.outputs`.

    ```mlir
    func.func @main(%x: memref<?xf32>) -> memref<?xf32> {
      %a = memref.alloc(%n) : memref<?xf32>
      amp.kernel ins(%i = %x : memref<?xf32>) outs(%a : memref<?xf32>) ...
      %b = memref.alloc(%n) : memref<?xf32>
      amp.kernel ins(%i = %a : memref<?xf32>) outs(%b : memref<?xf32>) ...
      return %b : memref<?xf32>
    }
    ```
    ==>
    ```mlir
    func.func @main(%x: memref<?xf32>) {
      %base, %o = amp.arena 0 sizes(%bytes) first [4] last [6] : memref<?xi8>, index
      %a = memref.view %base[%o][%n] : memref<?xi8> to memref<?xf32>
      amp.kernel ins(%i = %x : memref<?xf32>) outs(%a : memref<?xf32>) ...
      %b = amp.output 0 [%n] (%n) : memref<?xf32>
      amp.kernel ins(%i = %a : memref<?xf32>) outs(%b : memref<?xf32>) ...
      return
    }
    ```
  }];
  let dependentDialects = ["::amp::AmpDialect", "::mlir::memref::MemRefDialect"];
}

def LowerCopies : Pass<"amp-lower-copies", "::mlir::func::FuncOp"> {
  let summary = "copy buffers by kernels";
  let description = [{
    ```mlir
    memref.copy %x, %y : memref<?xf32> to memref<?xf32, strided<[2]>>
    ```
    ==>
    ```mlir
    amp.kernel ins(%a = %x : memref<?xf32>) outs(%y : memref<?xf32, strided<[2]>>)
               args(tensor<?xf32>) {
      amp.yield %a : tensor<?xf32>
    }
    ```
  }];
  let dependentDialects = ["::amp::AmpDialect", "::mlir::memref::MemRefDialect"];
}

#endif // AMPC_PASSES
