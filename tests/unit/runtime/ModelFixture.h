//===- ModelFixture.h - Using model libraries in tests -----------*- C++
//-*-===//

#ifndef AMPC_TESTS_UNIT_RUNTIME_MODELFIXTURE_H
#define AMPC_TESTS_UNIT_RUNTIME_MODELFIXTURE_H

#include "ampc_load.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

/// A library and a model in it.
struct LoadedModel {
  explicit LoadedModel(const std::string &path) {
    char message[256] = "";
    if (!ampc_library_open(path.c_str(), &library, message, sizeof(message))) {
      ADD_FAILURE() << message;
      return;
    }
    api = library.api;
    status = api->model_create(api, nullptr, &model, text, sizeof(text));
  }
  ~LoadedModel() {
    if (api)
      api->model_destroy(model);
    ampc_library_close(&library);
  }
  LoadedModel(const LoadedModel &) = delete;

  ampc_context *newContext(int threads = 1) {
    ampc_context_options options = {sizeof(options), threads};
    ampc_context *context = nullptr;
    char text[512] = ""; // Threads share this object.
    EXPECT_EQ(
        api->context_create(model, &options, &context, text, sizeof(text)),
        AMPC_OK)
        << text;
    return context;
  }

  ampc_library library = {};
  const ampc_api_v1 *api = nullptr;
  ampc_model *model = nullptr;
  ampc_status status = AMPC_INTERNAL;
  char text[512] = "";
};

/// A DLTensor with its memory.
template <typename T> struct Tensor {
  Tensor(DLDataTypeCode code, std::vector<int64_t> dims)
      : shape(std::move(dims)) {
    size_t size = 1;
    for (int64_t dim : shape)
      size *= size_t(dim);
    data.resize(size);
    dl = DLTensor();
    dl.data = data.data();
    dl.device.device_type = kDLCPU;
    dl.ndim = int(shape.size());
    dl.dtype = {uint8_t(code), uint8_t(8 * sizeof(T)), 1};
    dl.shape = shape.data();
  }
  Tensor(const Tensor &) = delete;

  std::vector<int64_t> shape;
  std::vector<T> data;
  DLTensor dl;
};

/// The inputs of CalcModel.cpp.
struct CalcInputs {
  explicit CalcInputs(int64_t batch, int64_t numFlags = 3)
      : a(kDLFloat, {batch, 4}), b(kDLFloat, {batch, 4}),
        flags(kDLUInt, {numFlags}), scale(kDLFloat, {}) {
    for (size_t i = 0; i < a.data.size(); ++i) {
      a.data[i] = float(i);
      b.data[i] = float(100 * i);
    }
    for (size_t i = 0; i < flags.data.size(); ++i)
      flags.data[i] = i % 2 == 0;
    scale.data[0] = 2;
  }

  /// What the model must answer for element i of `sum`.
  float sum(size_t i) const {
    return float((a.data[i] + b.data[i]) * scale.data[0]);
  }

  Tensor<float> a, b;
  Tensor<uint8_t> flags;
  Tensor<double> scale;
  const DLTensor *pointers[4] = {&a.dl, &b.dl, &flags.dl, &scale.dl};
};

#endif // AMPC_TESTS_UNIT_RUNTIME_MODELFIXTURE_H
