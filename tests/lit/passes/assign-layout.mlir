// RUN: amp-opt %s -amp-assign-layout -canonicalize -split-input-file | FileCheck %s

// One transpose in, one out; the filter's is for compile time.
// CHECK-LABEL: func @conv(
// CHECK-DAG:   %[[X:.*]] = amp.transpose %arg0 [0, 2, 1] : tensor<1x256x998xf32> to tensor<1x998x256xf32>
// CHECK-DAG:   %[[W:.*]] = amp.transpose %arg1 [2, 1, 0] : tensor<256x256x3xf32> to tensor<3x256x256xf32>
// CHECK-DAG:   %[[P:.*]] = amp.pad %[[X]], {{.*}} low [0, 1, 0] interior [0, 0, 0] constant to [] {grows} : {{.*}} to tensor<1x1000x256xf32>
// CHECK:       %[[Y:.*]] = amp.conv %[[P]], %[[W]] {channels_last,
// CHECK-SAME:    -> tensor<1x998x256xf32>
// CHECK:       %[[Z:.*]] = math.absf %[[Y]] : tensor<1x998x256xf32>
// CHECK:       %[[R:.*]] = amp.transpose %[[Z]] [0, 2, 1] : tensor<1x998x256xf32> to tensor<1x256x998xf32>
// CHECK:       return %[[R]]
func.func @conv(%x: tensor<1x256x998xf32>, %w: tensor<256x256x3xf32>) -> tensor<1x256x998xf32> {
  %zero = arith.constant 0.0 : f32
  %p = amp.pad %x, %zero low [0, 0, 1] interior [0, 0, 0] constant to [] {grows}
    : tensor<1x256x998xf32>, f32 to tensor<1x256x1000xf32>
  %y = amp.conv %p, %w {strides = array<i64: 1>, dilations = array<i64: 1>,
      pads = array<i64: 0, 0>, groups = 1 : i64}
    : (tensor<1x256x1000xf32>, tensor<256x256x3xf32>) -> tensor<1x256x998xf32>
  %z = math.absf %y : tensor<1x256x998xf32>
  return %z : tensor<1x256x998xf32>
}

// -----

// A block as networks have it: no transpose between the border's.
// CHECK-LABEL: func @block(
// CHECK-COUNT-1: amp.transpose %arg0 [0, 2, 3, 1]
// CHECK-NOT:   amp.transpose %{{[0-9]}}
// CHECK:       amp.conv {{.*}} -> tensor<1x?x?x256xf32>
// CHECK:       amp.broadcast {{.*}} tensor<1x1x256xf32> to tensor<1x?x?x256xf32>
// CHECK:       amp.reduce sum %{{.*}} [1, 2] : tensor<1x?x?x256xf32> to tensor<1x256xf32>
// CHECK:       amp.reshape {{.*}} to tensor<1x1x1x256xf32>
// CHECK:       amp.pool max {{.*}}channels_last{{.*}} to tensor<1x?x?x256xf32>
// CHECK:       amp.concat 3 ({{.*}}) : {{.*}} -> tensor<1x?x?x512xf32>
// CHECK:       amp.slice {{.*}} step [1, 1, 1, 1] {{.*}} to tensor<1x?x?x96xf32>
// CHECK:       amp.softmax %{{.*}} 3
// CHECK:       amp.transpose %{{.*}} [0, 3, 1, 2] : tensor<1x?x?x96xf32> to tensor<1x96x?x?xf32>
// CHECK-NEXT:  return
func.func @block(%x: tensor<1x256x?x?xf32>, %b: tensor<256x1x1xf32>)
    -> tensor<1x96x?x?xf32> {
  %w = arith.constant dense<0.5> : tensor<256x256x1x1xf32>
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %h = tensor.dim %x, %c2 : tensor<1x256x?x?xf32>
  %v = tensor.dim %x, %c3 : tensor<1x256x?x?xf32>
  %y = amp.conv %x, %w {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64}
    : (tensor<1x256x?x?xf32>, tensor<256x256x1x1xf32>) -> tensor<1x256x?x?xf32>
  %r = amp.broadcast %b to [%h, %v] : tensor<256x1x1xf32> to tensor<1x256x?x?xf32>
  %z = arith.addf %y, %r : tensor<1x256x?x?xf32>
  %s = amp.reduce sum %z [2, 3] : tensor<1x256x?x?xf32> to tensor<1x256xf32>
  %t = amp.reshape %s to [] : tensor<1x256xf32> to tensor<1x256x1x1xf32>
  %u = amp.broadcast %t to [%h, %v] : tensor<1x256x1x1xf32> to tensor<1x256x?x?xf32>
  %m = arith.mulf %z, %u : tensor<1x256x?x?xf32>
  %p = amp.pool max %m {kernel = array<i64: 3, 3>, strides = array<i64: 1, 1>,
      dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>}
    : tensor<1x256x?x?xf32> to tensor<1x256x?x?xf32>
  %c = amp.concat 1 (%z, %p) : (tensor<1x256x?x?xf32>, tensor<1x256x?x?xf32>) -> tensor<1x512x?x?xf32>
  %l = amp.slice %c [0, 16, 0, 0] step [1, 1, 1, 1] to [%h, %v]
    : tensor<1x512x?x?xf32> to tensor<1x96x?x?xf32>
  %e = amp.softmax %l 1 : tensor<1x96x?x?xf32>
  return %e : tensor<1x96x?x?xf32>
}

// -----

// The model's own transposes dissolve.
// CHECK-LABEL: func @own(
// CHECK-NOT:   amp.transpose %arg0
// CHECK:       %[[Y:.*]] = amp.conv %arg0, {{.*}}channels_last
// CHECK-NEXT:  return %[[Y]]
func.func @own(%x: tensor<1x9x9x64xf32>) -> tensor<1x7x7x64xf32> {
  %w = arith.constant dense<0.5> : tensor<64x64x3x3xf32>
  %t = amp.transpose %x [0, 3, 1, 2] : tensor<1x9x9x64xf32> to tensor<1x64x9x9xf32>
  %y = amp.conv %t, %w {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64}
    : (tensor<1x64x9x9xf32>, tensor<64x64x3x3xf32>) -> tensor<1x64x7x7xf32>
  %r = amp.transpose %y [0, 2, 3, 1] : tensor<1x64x7x7xf32> to tensor<1x7x7x64xf32>
  return %r : tensor<1x7x7x64xf32>
}

// -----

// Pixels become one dimension, channels stay last.
// CHECK-LABEL: func @flatten(
// CHECK:       amp.conv {{.*}} -> tensor<2x6x5x256xf32>
// CHECK:       amp.reshape {{.*}} : tensor<2x6x5x256xf32> to tensor<2x30x256xf32>
// CHECK-NOT:   amp.transpose
// CHECK:       return
func.func @flatten(%x: tensor<2x256x6x5xf32>) -> tensor<2x30x256xf32> {
  %w = arith.constant dense<0.5> : tensor<256x256x1x1xf32>
  %y = amp.conv %x, %w {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64}
    : (tensor<2x256x6x5xf32>, tensor<256x256x1x1xf32>) -> tensor<2x256x6x5xf32>
  %f = amp.reshape %y to [] : tensor<2x256x6x5xf32> to tensor<2x256x30xf32>
  %t = amp.transpose %f [0, 2, 1] : tensor<2x256x30xf32> to tensor<2x30x256xf32>
  return %t : tensor<2x30x256xf32>
}

// -----

// Few operations on many elements do not pay for two transposes.
// CHECK-LABEL: func @cheap(
// CHECK-NEXT:  amp.conv %arg0, %arg1 {dilations
// CHECK-NEXT:  return
func.func @cheap(%x: tensor<1x2x100x100xf32>, %w: tensor<2x2x1x1xf32>) -> tensor<1x2x100x100xf32> {
  %y = amp.conv %x, %w {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64}
    : (tensor<1x2x100x100xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x100x100xf32>
  return %y : tensor<1x2x100x100xf32>
}

// -----

// A sum over channels and pixels depends on their order, so it gets the own one.
// CHECK-LABEL: func @ordered(
// CHECK:       %[[Y:.*]] = amp.conv {{.*}} -> tensor<1x20x20x256xf32>
// CHECK:       %[[T:.*]] = amp.transpose %[[Y]] [0, 3, 1, 2]
// CHECK:       amp.reduce sum %[[T]] [1, 2, 3]
func.func @ordered(%x: tensor<1x256x22x22xf32>) -> tensor<1xf32> {
  %w = arith.constant dense<0.5> : tensor<256x256x3x3xf32>
  %y = amp.conv %x, %w {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64}
    : (tensor<1x256x22x22xf32>, tensor<256x256x3x3xf32>) -> tensor<1x256x20x20xf32>
  %s = amp.reduce sum %y [1, 2, 3] : tensor<1x256x20x20xf32> to tensor<1xf32>
  return %s : tensor<1xf32>
}

// -----

// Heads are read where products leave them.
// CHECK-LABEL: func @attention(
// CHECK-NOT:   amp.transpose
// CHECK:       amp.attention {{.*}} mask %arg2 {heads_inner, scale
// CHECK-SAME:    -> tensor<1x?x12x64xf32>
// CHECK-NOT:   amp.transpose
// CHECK:       return
func.func @attention(%x: tensor<1x?x768xf32>, %n: index, %mask: tensor<1x1x1x?xf32>) -> tensor<1x?x768xf32> {
  %0 = amp.reshape %x to [%n] : tensor<1x?x768xf32> to tensor<1x?x12x64xf32>
  %1 = amp.transpose %0 [0, 2, 1, 3] : tensor<1x?x12x64xf32> to tensor<1x12x?x64xf32>
  %2 = amp.attention %1, %1, %1 mask %mask {scale = 0.125 : f32}
    : (tensor<1x12x?x64xf32>, tensor<1x12x?x64xf32>, tensor<1x12x?x64xf32>, tensor<1x1x1x?xf32>) -> tensor<1x12x?x64xf32>
  %3 = amp.transpose %2 [0, 2, 1, 3] : tensor<1x12x?x64xf32> to tensor<1x?x12x64xf32>
  %4 = amp.reshape %3 to [%n] : tensor<1x?x12x64xf32> to tensor<1x?x768xf32>
  return %4 : tensor<1x?x768xf32>
}

// -----

// No transpose is worth adding for that.
// CHECK-LABEL: func @attention_stays(
// CHECK-NEXT:  amp.attention %arg0, %arg1, %arg1 {scale
// CHECK-NEXT:  return
func.func @attention_stays(%q: tensor<1x12x7x64xf32>, %k: tensor<1x12x9x64xf32>) -> tensor<1x12x7x64xf32> {
  %0 = amp.attention %q, %k, %k {scale = 0.125 : f32}
    : (tensor<1x12x7x64xf32>, tensor<1x12x9x64xf32>, tensor<1x12x9x64xf32>) -> tensor<1x12x7x64xf32>
  return %0 : tensor<1x12x7x64xf32>
}
