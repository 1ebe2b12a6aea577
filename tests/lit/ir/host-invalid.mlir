// RUN: amp-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{refers to 'missing', which is no amp.weight_data of the module}}
func.func @f() { %0 = "amp.weight"() <{data = @missing}> : () -> tensor<2xf32>  return }

// -----

amp.weight_data @w = dense<1.0> : tensor<2xf32>
func.func @f() {
  // expected-error @+1 {{has type 'tensor<3xf32>' but its data is 'tensor<2xf32>'}}
  %0 = amp.weight @w : tensor<3xf32>
  return
}

// -----

amp.weight_data @w = dense<true> : tensor<2xi1>
func.func @f() {
  // expected-error @+1 {{has type 'tensor<2xi8>' but its data is 'tensor<2xi1>'}}
  %0 = amp.weight @w : tensor<2xi8>
  return
}

// -----

// expected-error @+1 {{has 8 bytes of data where its type needs 12}}
amp.weight_data @w = dense_resource<blob> : tensor<3xf32>

{-#
  dialect_resources: {
    builtin: { blob: "0x040000000000803F00000040" }
  }
#-}

// -----

// expected-error @+1 {{has a resource without data}}
amp.weight_data @w = dense_resource<nothing> : tensor<3xf32>

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{may not change the element type}}
  amp.reshape %x to [] : tensor<2x3xf32> to tensor<6xi32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{has 6 elements before and 5 after}}
  amp.reshape %x to [] : tensor<2x3xf32> to tensor<5xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %n: index) {
  // expected-error @+1 {{has 1 sizes for 0 dynamic dimensions}}
  amp.reshape %x to [%n] : tensor<2x3xf32> to tensor<6xf32>
  return
}

// -----

// expected-error @+2 {{expected ::amp::Place to be one of: host, device}}
// expected-error @+1 {{failed to parse Amp_SpaceAttr parameter 'value'}}
func.func @f(%x: memref<4xf32, #amp.space<moon>>) { return }
