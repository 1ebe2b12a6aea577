//===- RunTest.cpp - Inputs, outputs and threads of runs ------------------===//

#include "CalcTest.h"

#include <algorithm>
#include <cstring>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

namespace {

TEST_F(CalcTest, Signature) {
  EXPECT_EQ(api->version, 1u);
  EXPECT_EQ(api->struct_size, sizeof(ampc_api_v1));
  EXPECT_STREQ(api->name(api), "calc");
  EXPECT_STREQ(api->info_json(api), "{\"name\":\"calc\"}");
  EXPECT_EQ(api->num_inputs(api), 4u);
  EXPECT_EQ(api->num_outputs(api), 2u);
  ampc_tensor_info info;
  ASSERT_EQ(api->input_info(api, 1, &info), AMPC_OK);
  EXPECT_STREQ(info.name, "b");
  EXPECT_EQ(info.dtype, AMPC_FLOAT);
  ASSERT_EQ(info.rank, 2);
  EXPECT_EQ(info.dims[0], -1);
  EXPECT_EQ(info.dims[1], 4);
  EXPECT_STREQ(info.symbols[0], "batch");
  EXPECT_EQ(info.symbols[1], nullptr);
  ASSERT_EQ(api->output_info(api, 1, &info), AMPC_OK);
  EXPECT_STREQ(info.name, "chosen");
  EXPECT_EQ(api->input_info(api, 4, &info), AMPC_INVALID_ARGUMENT);
  EXPECT_EQ(api->output_info(api, 2, &info), AMPC_INVALID_ARGUMENT);
  EXPECT_EQ(api->output_info(api, 0, nullptr), AMPC_INVALID_ARGUMENT);
  EXPECT_STREQ(api->status_name(AMPC_WRONG_SHAPE), "wrong shape");
  EXPECT_STREQ(api->status_name(ampc_status(99)), "unknown status");
}

TEST_F(CalcTest, LibraryMemory) {
  for (int64_t batch : {2, 7, 1, 100}) {
    CalcInputs inputs(batch, 5);
    ASSERT_EQ(run(inputs), AMPC_OK) << api->last_error(context);
    DLTensor sum, chosen;
    ASSERT_EQ(api->output(context, 0, &sum), AMPC_OK);
    ASSERT_EQ(api->output(context, 1, &chosen), AMPC_OK);
    EXPECT_EQ(sum.ndim, 2);
    EXPECT_EQ(sum.shape[0], batch);
    EXPECT_EQ(sum.strides[0], 4);
    EXPECT_EQ(sum.strides[1], 1);
    EXPECT_EQ(sum.dtype.code, kDLFloat);
    EXPECT_EQ(sum.dtype.bits, 32);
    EXPECT_EQ(sum.device.device_type, kDLCPU);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(sum.data) % 64, 0u);
    for (size_t i = 0; i < inputs.a.data.size(); ++i)
      ASSERT_EQ(static_cast<float *>(sum.data)[i], inputs.sum(i));
    ASSERT_EQ(chosen.shape[0], 3);
    for (int i = 0; i < 3; ++i)
      EXPECT_EQ(static_cast<int64_t *>(chosen.data)[i], 2 * i);
  }
}

TEST_F(CalcTest, CallersMemory) {
  CalcInputs inputs(2);
  std::vector<float> memory(9);
  Tensor<float> sum(kDLFloat, {2, 4});
  sum.dl.data = memory.data();
  sum.dl.byte_offset = 4;
  DLTensor *outputs[] = {&sum.dl, nullptr};
  ASSERT_EQ(run(inputs, outputs), AMPC_OK) << api->last_error(context);
  for (size_t i = 0; i < 8; ++i)
    EXPECT_EQ(memory[i + 1], inputs.sum(i));
  DLTensor seen;
  ASSERT_EQ(api->output(context, 0, &seen), AMPC_OK);
  EXPECT_EQ(seen.data, memory.data() + 1);
  DLManagedTensor *taken;
  EXPECT_EQ(api->take_output(context, 0, &taken), AMPC_NO_OUTPUT);
  EXPECT_EQ(taken, nullptr);
  ASSERT_EQ(api->take_output(context, 1, &taken), AMPC_OK);
  taken->deleter(taken);
}

TEST_F(CalcTest, ContiguousStridesOfSizeOneAreFree) {
  CalcInputs inputs(1);
  Tensor<float> sum(kDLFloat, {1, 4});
  int64_t strides[] = {INT64_MIN, 1};
  sum.dl.strides = inputs.a.dl.strides = strides;
  DLTensor *outputs[] = {&sum.dl, nullptr};
  ASSERT_EQ(run(inputs, outputs), AMPC_OK) << api->last_error(context);
  for (size_t i = 0; i < 4; ++i)
    EXPECT_EQ(sum.data[i], inputs.sum(i));
}

TEST_F(CalcTest, TakenOutputsOutliveEverything) {
  CalcInputs inputs(5);
  DLManagedTensor *first, *second;
  {
    LoadedModel other(CALC_MODEL_2);
    ampc_context *own = other.newContext();
    const ampc_api_v1 *otherApi = other.api;
    ASSERT_EQ(otherApi->run(own, inputs.pointers, 4, nullptr, 0), AMPC_OK);
    ASSERT_EQ(otherApi->take_output(own, 0, &first), AMPC_OK);
    DLTensor tensor;
    EXPECT_EQ(otherApi->output(own, 0, &tensor), AMPC_NO_OUTPUT);
    DLManagedTensor *again;
    EXPECT_EQ(otherApi->take_output(own, 0, &again), AMPC_NO_OUTPUT);
    EXPECT_STREQ(otherApi->last_error(own),
                 "output 0 \"sum\" was taken already");
    // Another run gets other memory.
    inputs.scale.data[0] = 3;
    ASSERT_EQ(otherApi->run(own, inputs.pointers, 4, nullptr, 0), AMPC_OK);
    ASSERT_EQ(otherApi->take_output(own, 0, &second), AMPC_OK);
    otherApi->context_destroy(own);
  }
  EXPECT_EQ(second->dl_tensor.shape[0], 5);
  for (size_t i = 0; i < 20; ++i) {
    EXPECT_EQ(static_cast<float *>(second->dl_tensor.data)[i], inputs.sum(i));
    EXPECT_EQ(static_cast<float *>(first->dl_tensor.data)[i],
              inputs.sum(i) / 3 * 2);
  }
  first->deleter(first);
  second->deleter(second);
}

TEST_F(CalcTest, ContextsKeepTheirModel) {
  ampc_model *model;
  ASSERT_EQ(api->model_create(api, nullptr, &model, nullptr, 0), AMPC_OK);
  ampc_context *own;
  ASSERT_EQ(api->context_create(model, nullptr, &own, nullptr, 0), AMPC_OK);
  api->model_destroy(model);
  CalcInputs inputs(2);
  EXPECT_EQ(api->run(own, inputs.pointers, 4, nullptr, 0), AMPC_OK);
  api->context_destroy(own);
}

TEST_F(CalcTest, StridedInputs) {
  // a: columns of a wider matrix, backwards; b: transposed; flags: every
  // second byte, from an offset.
  CalcInputs inputs(3);
  std::vector<float> wide(3 * 10), columns(4 * 3);
  for (size_t i = 0; i < 3; ++i)
    for (size_t j = 0; j < 4; ++j) {
      wide[i * 10 + 8 - 2 * j] = inputs.a.data[4 * i + j];
      columns[j * 3 + i] = inputs.b.data[4 * i + j];
    }
  int64_t backwards[] = {10, -2}, transposed[] = {1, 3}, second[] = {2};
  inputs.a.dl.data = wide.data();
  inputs.a.dl.byte_offset = 8 * sizeof(float);
  inputs.a.dl.strides = backwards;
  inputs.b.dl.data = columns.data();
  inputs.b.dl.strides = transposed;
  std::vector<uint8_t> bytes = {9, 1, 0, 0, 7, 1};
  inputs.flags.dl.data = bytes.data();
  inputs.flags.dl.byte_offset = 1;
  inputs.flags.dl.strides = second;
  for (int repeat = 0; repeat < 2; ++repeat) {
    ASSERT_EQ(run(inputs), AMPC_OK) << api->last_error(context);
    DLTensor sum, chosen;
    ASSERT_EQ(api->output(context, 0, &sum), AMPC_OK);
    for (size_t i = 0; i < 12; ++i)
      EXPECT_EQ(static_cast<float *>(sum.data)[i], inputs.sum(i));
    ASSERT_EQ(api->output(context, 1, &chosen), AMPC_OK);
    ASSERT_EQ(chosen.shape[0], 2);
    EXPECT_EQ(static_cast<int64_t *>(chosen.data)[1], 2);
  }
}

TEST_F(CalcTest, BroadcastInput) {
  CalcInputs inputs(3);
  for (size_t i = 0; i < 12; ++i)
    inputs.a.data[i] = 5;
  int64_t strides[] = {0, 0};
  inputs.a.dl.strides = strides;
  ASSERT_EQ(run(inputs), AMPC_OK);
  DLTensor sum;
  ASSERT_EQ(api->output(context, 0, &sum), AMPC_OK);
  for (size_t i = 0; i < 12; ++i)
    EXPECT_EQ(static_cast<float *>(sum.data)[i], inputs.sum(i));
}

TEST_F(CalcTest, NoElements) {
  CalcInputs inputs(0, 0);
  int64_t odd[] = {-3, 17};
  inputs.a.dl.data = inputs.b.dl.data = inputs.flags.dl.data = nullptr;
  inputs.a.dl.strides = odd;
  Tensor<float> sum(kDLFloat, {0, 4});
  sum.dl.data = nullptr;
  DLTensor *outputs[] = {&sum.dl, nullptr};
  for (bool callers : {true, false}) {
    ASSERT_EQ(run(inputs, callers ? outputs : nullptr), AMPC_OK)
        << api->last_error(context);
    DLTensor seen;
    ASSERT_EQ(api->output(context, 0, &seen), AMPC_OK);
    EXPECT_EQ(seen.shape[0], 0);
    ASSERT_EQ(api->output(context, 1, &seen), AMPC_OK);
    EXPECT_EQ(seen.shape[0], 0);
  }
  DLManagedTensor *taken;
  ASSERT_EQ(api->take_output(context, 0, &taken), AMPC_OK);
  taken->deleter(taken);
  expectUsable();
}

TEST_F(CalcTest, SmallTensorsAtTheEndOfMemory) {
  // Generated code reads vectors where there is less than one.
  size_t page = size_t(sysconf(_SC_PAGESIZE));
  char *memory =
      static_cast<char *>(mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(memory, MAP_FAILED);
  ASSERT_EQ(mprotect(memory + page, page, PROT_NONE), 0);
  char *end = memory + page;
  for (int64_t batch : {0, 1, 2, 15, 16, 17}) {
    CalcInputs inputs(batch, 4);
    size_t bytes = inputs.a.data.size() * sizeof(float);
    // The result, then an input, then the guard.
    Tensor<float> sum(kDLFloat, {batch, 4});
    inputs.a.dl.data = end - bytes;
    std::copy(inputs.a.data.begin(), inputs.a.data.end(),
              static_cast<float *>(inputs.a.dl.data));
    for (bool outputLast : {false, true}) {
      sum.dl.data = outputLast ? end - bytes : end - 2 * bytes;
      if (outputLast)
        inputs.a.dl.data = inputs.a.data.data();
      DLTensor *outputs[] = {&sum.dl, nullptr};
      ASSERT_EQ(run(inputs, outputs), AMPC_OK) << api->last_error(context);
      for (size_t i = 0; i < inputs.a.data.size(); ++i)
        ASSERT_EQ(static_cast<float *>(sum.dl.data)[i], inputs.sum(i));
      DLTensor seen;
      ASSERT_EQ(api->output(context, 0, &seen), AMPC_OK);
      EXPECT_EQ(seen.data, sum.dl.data);
      EXPECT_EQ(seen.shape[0], batch);
    }
  }
  munmap(memory, 2 * page);
}

TEST(Run, EightThreadsOfOneModel) {
  LoadedModel calc(CALC_MODEL);
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&calc, t] {
      const ampc_api_v1 *api = calc.api;
      ampc_context *context = calc.newContext(/*threads=*/t % 3 + 1);
      for (int64_t i = 0; i < RUNS_PER_THREAD; ++i) {
        int64_t batch = (i * 7 + t) % 40;
        CalcInputs inputs(batch, i % 5);
        for (float &x : inputs.a.data)
          x += float(t * 1000 + i);
        ASSERT_EQ(api->run(context, inputs.pointers, 4, nullptr, 0), AMPC_OK)
            << api->last_error(context);
        DLTensor sum;
        ASSERT_EQ(api->output(context, 0, &sum), AMPC_OK);
        for (size_t k = 0; k < inputs.a.data.size(); ++k)
          ASSERT_EQ(static_cast<float *>(sum.data)[k], inputs.sum(k));
      }
      api->context_destroy(context);
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST(Run, OneContextOnTwoThreads) {
  LoadedModel calc(CALC_MODEL);
  ampc_context *context = calc.newContext();
  std::thread threads[2];
  int good[2] = {0, 0};
  for (int t = 0; t < 2; ++t)
    threads[t] = std::thread([&, t] {
      CalcInputs inputs(200);
      for (int i = 0; i < 200; ++i) {
        ampc_status status =
            calc.api->run(context, inputs.pointers, 4, nullptr, 0);
        ASSERT_TRUE(status == AMPC_OK || status == AMPC_BUSY);
        good[t] += status == AMPC_OK;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_GT(good[0] + good[1], 0);
  calc.api->context_destroy(context);
}

TEST(Run, EveryDType) {
  LoadedModel types(TYPES_MODEL);
  ASSERT_EQ(types.status, AMPC_OK) << types.text;
  const ampc_api_v1 *api = types.api;
  ampc_context *context = types.newContext();
  uint32_t count = api->num_inputs(api);
  std::vector<std::vector<char>> memory(count);
  std::vector<DLTensor> tensors(count);
  std::vector<const DLTensor *> inputs(count);
  int64_t dims[] = {2};
  for (uint32_t i = 0; i < count; ++i) {
    ampc_tensor_info info;
    ampc_dtype_info dtype;
    ASSERT_EQ(api->input_info(api, i, &info), AMPC_OK);
    ASSERT_EQ(api->dtype_info(info.dtype, &dtype), AMPC_OK);
    EXPECT_STREQ(dtype.name, info.name);
    for (int k = 0; k < 2 * dtype.size; ++k)
      memory[i].push_back(char(i + 50 * k));
    tensors[i] =
        ampc_tensor(api, ampc_dtype(info.dtype), memory[i].data(), 1, dims);
    if (info.dtype == AMPC_BOOL)
      tensors[i].dtype.code = 6; // What later versions of DLPack have.
    if (info.dtype == AMPC_INT4 || info.dtype == AMPC_INT2)
      tensors[i].dtype.code = kDLInt;
    inputs[i] = &tensors[i];
  }
  ASSERT_EQ(api->run(context, inputs.data(), count, nullptr, 0), AMPC_OK)
      << api->last_error(context);
  for (uint32_t i = 0; i < count; ++i) {
    DLTensor output;
    ASSERT_EQ(api->output(context, i, &output), AMPC_OK);
    EXPECT_EQ(memcmp(output.data, memory[i].data(), memory[i].size()), 0);
  }
  api->context_destroy(context);
  ampc_dtype_info dtype;
  EXPECT_EQ(api->dtype_info(AMPC_STRING, &dtype), AMPC_INVALID_ARGUMENT);
  EXPECT_EQ(api->dtype_info(-1, &dtype), AMPC_INVALID_ARGUMENT);
  EXPECT_EQ(api->dtype_info(29, &dtype), AMPC_INVALID_ARGUMENT);
}

} // namespace
