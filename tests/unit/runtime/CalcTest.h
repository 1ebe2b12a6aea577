//===- CalcTest.h - A fixture of CalcModel.cpp -------------------*- C++
//-*-===//

#ifndef AMPC_TESTS_UNIT_RUNTIME_CALCTEST_H
#define AMPC_TESTS_UNIT_RUNTIME_CALCTEST_H

#include "ModelFixture.h"

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

#endif // AMPC_TESTS_UNIT_RUNTIME_CALCTEST_H
