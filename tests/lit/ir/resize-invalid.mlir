// RUN: amp-opt %s -split-input-file -verify-diagnostics

func.func @f(%x: tensor<4x5xf32>, %s: f32) {
  // expected-error @+1 {{has an operand of rank 2 and a result of rank 1}}
  amp.resize %x axes [0] scales (%s) nearest asymmetric floor to []
      : tensor<4x5xf32> to tensor<8xf32>
  return
}

// -----

func.func @f(%x: tensor<4x5xf32>, %s: f32) {
  // expected-error @+1 {{has 0 sizes for 1 dynamic dimensions}}
  amp.resize %x axes [0] scales (%s) nearest asymmetric floor to []
      : tensor<4x5xf32> to tensor<?x5xf32>
  return
}

// -----

func.func @f(%x: tensor<4x5xf32>, %s: f32) {
  // expected-error @+1 {{has 1 scales for 2 axes}}
  amp.resize %x axes [0, 1] scales (%s) nearest asymmetric floor to []
      : tensor<4x5xf32> to tensor<8x5xf32>
  return
}

// -----

func.func @f(%x: tensor<4x5xf32>, %s: f32) {
  // expected-error @+1 {{has axis 2, which is outside of [0, 2)}}
  amp.resize %x axes [2] scales (%s) nearest asymmetric floor to []
      : tensor<4x5xf32> to tensor<8x5xf32>
  return
}

// -----

func.func @f(%x: tensor<4x5xf32>, %s: f32) {
  // expected-error @+1 {{resizes a dimension twice}}
  amp.resize %x axes [0, 0] scales (%s, %s) nearest asymmetric floor to []
      : tensor<4x5xf32> to tensor<8x5xf32>
  return
}

// -----

func.func @f(%x: tensor<4x5xf32>, %s: f32) {
  // expected-error @+1 {{has a result of sizes [8, 6] where [8, 5] is needed}}
  amp.resize %x axes [0] scales (%s) nearest asymmetric floor to []
      : tensor<4x5xf32> to tensor<8x6xf32>
  return
}

// -----

func.func @f(%x: tensor<4x5xf32>, %s: f32) {
  // expected-error @+1 {{needs 2 values of roi for tf_crop_and_resize}}
  amp.resize %x axes [0] scales (%s) nearest tf_crop_and_resize floor to []
      : tensor<4x5xf32> to tensor<8x5xf32>
  return
}

// -----

func.func @f(%x: tensor<4x5xf32>, %s: f32) {
  // expected-error @+1 {{has no filter to widen in nearest mode}}
  amp.resize %x axes [0] scales (%s) nearest asymmetric floor to [] {antialias}
      : tensor<4x5xf32> to tensor<8x5xf32>
  return
}
