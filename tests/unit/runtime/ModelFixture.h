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

/// The model of CalcModel.cpp with one context.
class CalcTest : public ::testing::Test {
protected:
  CalcTest() : calc(CALC_MODEL), api(calc.api) {
    EXPECT_EQ(calc.status, AMPC_OK) << calc.text;
    context = calc.newContext();
  }
  ~CalcTest() override { api->context_destroy(context); }

  ampc_status run(const CalcInputs &inputs,
                  DLTensor *const *outputs = nullptr) {
    return api->run(context, inputs.pointers, 4, outputs, outputs ? 2 : 0);
  }

  /// The context still works, whatever happened before.
  void expectUsable() {
    CalcInputs inputs(3);
    ASSERT_EQ(run(inputs), AMPC_OK) << api->last_error(context);
    EXPECT_STREQ(api->last_error(context), "");
    DLTensor sum;
    ASSERT_EQ(api->output(context, 0, &sum), AMPC_OK);
    for (size_t i = 0; i < 12; ++i)
      ASSERT_EQ(static_cast<float *>(sum.data)[i], inputs.sum(i));
  }

  /// The run fails with this status, its message holds `part`.
  void expectFailure(const CalcInputs &inputs, ampc_status status,
                     const std::string &part,
                     DLTensor *const *outputs = nullptr) {
    EXPECT_EQ(run(inputs, outputs), status);
    EXPECT_NE(std::string(api->last_error(context)).find(part),
              std::string::npos)
        << api->last_error(context);
    DLTensor tensor;
    EXPECT_EQ(api->output(context, 0, &tensor), AMPC_NO_OUTPUT);
    expectUsable();
  }

  LoadedModel calc;
  const ampc_api_v1 *api;
  ampc_context *context;
};

#endif // AMPC_TESTS_UNIT_RUNTIME_MODELFIXTURE_H
