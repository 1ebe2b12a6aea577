//===- ChecksTest.cpp - What a run refuses --------------------------------===//

#include "CalcTest.h"

namespace {

TEST_F(CalcTest, WrongCount) {
  CalcInputs inputs(2);
  EXPECT_EQ(api->run(context, inputs.pointers, 3, nullptr, 0),
            AMPC_WRONG_COUNT);
  EXPECT_STREQ(api->last_error(context), "3 inputs given, expected 4");
  DLTensor *outputs[1] = {nullptr};
  EXPECT_EQ(api->run(context, inputs.pointers, 4, outputs, 1),
            AMPC_WRONG_COUNT);
  EXPECT_STREQ(api->last_error(context), "1 outputs given, expected 2");
  expectUsable();
}

TEST_F(CalcTest, Nulls) {
  CalcInputs inputs(2);
  EXPECT_EQ(api->run(context, nullptr, 4, nullptr, 0), AMPC_INVALID_ARGUMENT);
  EXPECT_EQ(api->run(nullptr, inputs.pointers, 4, nullptr, 0),
            AMPC_INVALID_ARGUMENT);
  EXPECT_EQ(api->output(context, 0, nullptr), AMPC_NO_OUTPUT);
  EXPECT_EQ(api->output(nullptr, 0, nullptr), AMPC_INVALID_ARGUMENT);
  EXPECT_EQ(api->take_output(context, 0, nullptr), AMPC_NO_OUTPUT);
  EXPECT_EQ(api->take_output(nullptr, 0, nullptr), AMPC_INVALID_ARGUMENT);
  EXPECT_EQ(api->set_threads(nullptr, 1), AMPC_INVALID_ARGUMENT);
  EXPECT_STREQ(api->last_error(nullptr), "the context is null");
  api->context_destroy(nullptr);
  api->model_destroy(nullptr);
  inputs.pointers[1] = nullptr;
  expectFailure(inputs, AMPC_INVALID_ARGUMENT,
                "input 1 \"b\": the tensor is null");
  EXPECT_EQ(api->output(context, 0, nullptr), AMPC_INVALID_ARGUMENT);
  EXPECT_EQ(api->take_output(context, 0, nullptr), AMPC_INVALID_ARGUMENT);
  DLTensor tensor;
  EXPECT_EQ(api->output(context, 2, &tensor), AMPC_INVALID_ARGUMENT);
  expectUsable();
}

TEST_F(CalcTest, NullDataAndShape) {
  CalcInputs inputs(2);
  inputs.a.dl.data = nullptr;
  expectFailure(inputs, AMPC_INVALID_ARGUMENT, "input 0 \"a\": data is null");
  CalcInputs shapeless(2);
  shapeless.b.dl.shape = nullptr;
  expectFailure(shapeless, AMPC_INVALID_ARGUMENT,
                "input 1 \"b\": shape is null");
}

TEST_F(CalcTest, WrongRank) {
  CalcInputs inputs(2);
  inputs.a.dl.ndim = 1;
  expectFailure(inputs, AMPC_WRONG_RANK,
                "input 0 \"a\": rank is 1, expected 2");
  CalcInputs negative(2);
  negative.scale.dl.ndim = -1;
  expectFailure(negative, AMPC_WRONG_RANK, "rank is -1, expected 0");
}

TEST_F(CalcTest, WrongDType) {
  CalcInputs inputs(2);
  inputs.a.dl.dtype = {kDLFloat, 64, 1};
  expectFailure(inputs, AMPC_WRONG_DTYPE,
                "input 0 \"a\": dtype is float64, expected float32 (float)");
  inputs.a.dl.dtype = {kDLFloat, 32, 4};
  expectFailure(inputs, AMPC_WRONG_DTYPE, "float32 x 4 lanes");
  inputs.a.dl.dtype = {77, 32, 1};
  expectFailure(inputs, AMPC_WRONG_DTYPE, "type code 77 with 32 bits");
  CalcInputs flags(2);
  flags.flags.dl.dtype = {kDLInt, 8, 1};
  expectFailure(flags, AMPC_WRONG_DTYPE,
                "input 2 \"flags\": dtype is int8, expected uint8 (bool)");
}

TEST_F(CalcTest, WrongDevice) {
  CalcInputs inputs(2);
  inputs.b.dl.device.device_type = kDLCUDA;
  expectFailure(inputs, AMPC_WRONG_DEVICE,
                "input 1 \"b\": device type is 2, expected 1 (CPU)");
}

TEST_F(CalcTest, WrongStaticDimension) {
  CalcInputs inputs(2);
  inputs.a.shape[1] = 3;
  expectFailure(inputs, AMPC_WRONG_SHAPE,
                "input 0 \"a\": dimension 1 is 3, expected 4");
}

TEST_F(CalcTest, SymbolMismatch) {
  CalcInputs inputs(3);
  inputs.b.shape[0] = 2;
  expectFailure(inputs, AMPC_WRONG_SHAPE,
                "input 1 \"b\": dimension 0, \"batch\", is 2, but \"batch\" is "
                "3 in input 0 \"a\"");
}

TEST_F(CalcTest, NegativeDimension) {
  CalcInputs inputs(2);
  inputs.flags.shape[0] = -1;
  expectFailure(inputs, AMPC_WRONG_SHAPE,
                "input 2 \"flags\": dimension 0 is negative: -1");
}

TEST_F(CalcTest, OverflowingSize) {
  CalcInputs inputs(2);
  inputs.a.shape[0] = inputs.b.shape[0] = int64_t(1) << 60;
  expectFailure(inputs, AMPC_WRONG_SHAPE, "exceeds 2^63");
}

TEST_F(CalcTest, OverflowingAddress) {
  CalcInputs inputs(2);
  inputs.a.dl.byte_offset = ~uint64_t(0) - 64;
  expectFailure(inputs, AMPC_WRONG_SHAPE, "out of the address space");
  CalcInputs strided(2);
  int64_t strides[] = {INT64_MAX / 2, 1};
  strided.a.dl.strides = strides;
  expectFailure(strided, AMPC_WRONG_SHAPE, "out of the address space");
  int64_t downwards[] = {INT64_MIN / 8, 1};
  strided.a.dl.strides = downwards;
  expectFailure(strided, AMPC_WRONG_SHAPE, "out of the address space");
}

TEST_F(CalcTest, HugeButPossibleShape) {
  // More than any machine has: the arena fails, not the process.
  CalcInputs inputs(2);
  int64_t strides[] = {0, 1};
  inputs.a.shape[0] = inputs.b.shape[0] = int64_t(1) << 55;
  inputs.a.dl.strides = inputs.b.dl.strides = strides;
  expectFailure(inputs, AMPC_OUT_OF_MEMORY, "contiguous copy of input 0 \"a\"");
}

TEST_F(CalcTest, Misaligned) {
  CalcInputs inputs(2);
  inputs.a.dl.byte_offset = 2;
  expectFailure(inputs, AMPC_WRONG_LAYOUT,
                "is not a multiple of 4, the alignment of float");
  CalcInputs pointer(2);
  pointer.b.dl.data = reinterpret_cast<char *>(pointer.b.dl.data) + 1;
  expectFailure(pointer, AMPC_WRONG_LAYOUT, "input 1 \"b\": address");
}

TEST_F(CalcTest, OutputOfWrongShape) {
  CalcInputs inputs(2);
  Tensor<float> sum(kDLFloat, {3, 4});
  DLTensor *outputs[] = {&sum.dl, nullptr};
  expectFailure(inputs, AMPC_WRONG_SHAPE,
                "output 0 \"sum\": dimension 0 of the given tensor is 3, "
                "expected 2",
                outputs);
  Tensor<int64_t> chosen(kDLInt, {3});
  DLTensor *dynamic[] = {nullptr, &chosen.dl};
  expectFailure(inputs, AMPC_WRONG_SHAPE,
                "output 1 \"chosen\": dimension 0 of the given tensor is 3, "
                "expected 2",
                dynamic);
}

TEST_F(CalcTest, OutputOfWrongKind) {
  CalcInputs inputs(2);
  Tensor<float> sum(kDLFloat, {2, 4});
  DLTensor *outputs[] = {&sum.dl, nullptr};
  sum.dl.ndim = 1;
  expectFailure(inputs, AMPC_WRONG_RANK, "output 0 \"sum\": rank", outputs);
  sum.dl.ndim = 2;
  sum.dl.dtype.code = kDLInt;
  expectFailure(inputs, AMPC_WRONG_DTYPE, "output 0 \"sum\": dtype", outputs);
  sum.dl.dtype.code = kDLFloat;
  sum.dl.data = nullptr;
  expectFailure(inputs, AMPC_INVALID_ARGUMENT, "output 0 \"sum\": data is null",
                outputs);
  sum.dl.data = reinterpret_cast<char *>(sum.data.data()) + 1;
  expectFailure(inputs, AMPC_WRONG_LAYOUT, "output 0 \"sum\": address",
                outputs);
  sum.dl.data = sum.data.data();
  int64_t strides[] = {1, 2};
  sum.dl.strides = strides;
  expectFailure(inputs, AMPC_WRONG_LAYOUT,
                "output 0 \"sum\": the given tensor is strided", outputs);
}

TEST_F(CalcTest, Aliasing) {
  CalcInputs inputs(2);
  Tensor<float> sum(kDLFloat, {2, 4});
  DLTensor *outputs[] = {&sum.dl, nullptr};
  sum.dl.data = inputs.b.data.data();
  expectFailure(inputs, AMPC_ALIASED,
                "output 0 \"sum\" overlaps input 1 \"b\" in memory", outputs);

  // The last element of one is the first of the other.
  std::vector<float> both(15);
  inputs.a.dl.data = both.data();
  sum.dl.data = both.data() + 7;
  expectFailure(inputs, AMPC_ALIASED, "overlaps input 0 \"a\"", outputs);
  // A reversed input lies below its first element.
  inputs.a.dl.data = both.data() + 7;
  int64_t reversed[] = {-4, -1};
  inputs.a.dl.strides = reversed;
  sum.dl.data = both.data();
  expectFailure(inputs, AMPC_ALIASED, "overlaps input 0 \"a\"", outputs);

  CalcInputs others(2);
  Tensor<int64_t> chosen(kDLInt, {2});
  sum.dl.data = sum.data.data();
  chosen.dl.data = sum.data.data() + 4;
  DLTensor *overlapping[] = {&sum.dl, &chosen.dl};
  expectFailure(others, AMPC_ALIASED,
                "output 1 \"chosen\" overlaps output 0 \"sum\"", overlapping);
  // Neighbours do not overlap.
  std::vector<float> neighbours(16);
  others.a.dl.data = neighbours.data();
  sum.dl.data = neighbours.data() + 8;
  EXPECT_EQ(run(others, outputs), AMPC_OK) << api->last_error(context);
}

TEST_F(CalcTest, ErrorsOfTheModel) {
  CalcInputs inputs(2);
  inputs.scale.data[0] = std::numeric_limits<double>::quiet_NaN();
  expectFailure(inputs, AMPC_FAILED, "node \"scale\": NaN");
  inputs.scale.data[0] = -5;
  expectFailure(inputs, AMPC_OUT_OF_MEMORY,
                "an intermediate value of -5 bytes");
}

TEST_F(CalcTest, Threads) {
  EXPECT_EQ(api->set_threads(context, -1), AMPC_INVALID_ARGUMENT);
  EXPECT_STREQ(api->last_error(context),
               "the number of threads is -1, expected 0 to 256");
  EXPECT_EQ(api->set_threads(context, 257), AMPC_INVALID_ARGUMENT);
  EXPECT_EQ(api->set_threads(context, 0), AMPC_OK);
  expectUsable();
}

TEST_F(CalcTest, OptionsOfAnotherVersion) {
  char text[128];
  ampc_context *other = context;
  ampc_context_options options = {1, 1};
  EXPECT_EQ(
      api->context_create(calc.model, &options, &other, text, sizeof(text)),
      AMPC_INVALID_ARGUMENT);
  EXPECT_EQ(other, nullptr);
  ampc_model *model = calc.model;
  ampc_model_options flags = {sizeof(flags), nullptr, 128};
  EXPECT_EQ(api->model_create(api, &flags, &model, text, sizeof(text)),
            AMPC_INVALID_ARGUMENT);
  EXPECT_EQ(model, nullptr);
  EXPECT_STREQ(text, "ampc_model_options.flags is 0x80: unknown bits");
  // The buffer for the message may be short or absent.
  EXPECT_EQ(api->model_create(api, &flags, &model, text, 5),
            AMPC_INVALID_ARGUMENT);
  EXPECT_STREQ(text, "ampc");
  EXPECT_EQ(api->model_create(api, &flags, &model, nullptr, 0),
            AMPC_INVALID_ARGUMENT);
  EXPECT_EQ(api->model_create(api, nullptr, nullptr, nullptr, 0),
            AMPC_INVALID_ARGUMENT);
  EXPECT_EQ(api->context_create(nullptr, nullptr, &other, nullptr, 0),
            AMPC_INVALID_ARGUMENT);
}

} // namespace
