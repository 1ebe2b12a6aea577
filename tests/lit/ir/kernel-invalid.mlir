// RUN: amp-opt %s -split-input-file -verify-diagnostics

func.func @f(%x: tensor<4xf32>, %init: tensor<4xf32>) {
  // expected-error @+1 {{yields 0 values for 1 outs}}
  %r = amp.kernel ins(%a = %x : tensor<4xf32>) outs(%init : tensor<4xf32>) {
    amp.yield
  } : tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %init: tensor<5xf32>) {
  // expected-error @+1 {{yields 'tensor<4xf32>' into 'tensor<5xf32>'}}
  %r = amp.kernel ins(%a = %x : tensor<4xf32>) outs(%init : tensor<5xf32>) {
    amp.yield %a : tensor<4xf32>
  } : tensor<5xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %init: tensor<4xf32>) {
  // expected-error @+1 {{must have one result of the same type for each tensor in outs}}
  amp.kernel ins(%a = %x : tensor<4xf32>) outs(%init : tensor<4xf32>) {
    amp.yield %a : tensor<4xf32>
  }
  return
}

// -----

func.func @f(%x: memref<4xi8>, %init: memref<4xf32>) {
  // expected-error @+1 {{passes 'memref<4xi8>' as 'tensor<4xf32>'}}
  amp.kernel ins(%a = %x : memref<4xi8>) outs(%init : memref<4xf32>) args(tensor<4xf32>) {
    amp.yield %a : tensor<4xf32>
  }
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %init: tensor<4xf32>) {
  %r = amp.kernel ins(%a = %x : tensor<4xf32>) outs(%init : tensor<4xf32>) {
    // expected-error @+1 {{is neither elemental nor a kernel root, so it may not stand in a kernel}}
    %0 = amp.reshape %a to [] : tensor<4xf32> to tensor<2x2xf32>
    amp.yield %a : tensor<4xf32>
  } : tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %init: tensor<4xf32>) {
  // expected-error @+1 {{has more than one root}}
  %r = amp.kernel ins(%a = %x : tensor<4xf32>) outs(%init : tensor<4xf32>) {
    %0 = amp.softmax %a 0 : tensor<4xf32>
    %1 = amp.softmax %0 0 : tensor<4xf32>
    amp.yield %1 : tensor<4xf32>
  } : tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %init: tensor<4xf32>) {
  // expected-error @+1 {{has 2 ins but 1 types}}
  amp.kernel ins(%a = %x, %b = %x : tensor<4xf32>) outs(%init : tensor<4xf32>) {
    amp.yield %a : tensor<4xf32>
  } : tensor<4xf32>
  return
}

// -----

func.func @f(%n: index) {
  // expected-error @+1 {{launches 'missing', which is no function}}
  amp.launch @missing() range %n grain 1
  return
}

// -----

func.func private @k(%lo: index, %hi: index)
func.func @f(%x: memref<4xf32>, %n: index) {
  // expected-error @+1 {{does not fit 'k', which has type '(index, index) -> ()'}}
  amp.launch @k(%x) range %n grain 1 : memref<4xf32>
  return
}

// -----

func.func @f(%n: index) {
  // expected-error @+1 {{needs one size, offset and live range for each buffer}}
  %base, %o = amp.arena 0 sizes(%n) first [0, 1] last [1, 3] : memref<?xi8>, index
  return
}

// -----

func.func @f(%n: index) {
  // expected-error @+1 {{has a live range that ends before it starts}}
  %base, %o = amp.arena 0 sizes(%n) first [2] last [1] : memref<?xi8>, index
  return
}
