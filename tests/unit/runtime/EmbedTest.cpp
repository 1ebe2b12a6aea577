//===- EmbedTest.cpp - Models linked into a program as objects ------------===//

#include "ModelFixture.h"

#include "Pool.h"

extern "C" {
const ampc_api_v1 *first_entry_v1(void);
const ampc_api_v1 *second_entry_v1(void);
extern ampc_pool ampc_pool_v1;
}

namespace {

TEST(Embed, TwoModelsInOneProgram) {
  const ampc_api_v1 *apis[] = {first_entry_v1(), second_entry_v1()};
  ASSERT_NE(apis[0]->description, apis[1]->description);
  ASSERT_NE(apis[0]->run, apis[1]->run);
  for (const ampc_api_v1 *api : apis) {
    ampc_model *model;
    ampc_context *context;
    ampc_context_options options = {sizeof(options), 3};
    ASSERT_EQ(api->model_create(api, nullptr, &model, nullptr, 0), AMPC_OK);
    ASSERT_EQ(api->context_create(model, &options, &context, nullptr, 0),
              AMPC_OK);
    CalcInputs inputs(50);
    ASSERT_EQ(api->run(context, inputs.pointers, 4, nullptr, 0), AMPC_OK);
    DLTensor sum;
    ASSERT_EQ(api->output(context, 0, &sum), AMPC_OK);
    for (size_t i = 0; i < 200; ++i)
      ASSERT_EQ(static_cast<float *>(sum.data)[i], inputs.sum(i));
    api->context_destroy(context);
    api->model_destroy(model);
  }
  EXPECT_EQ(ampc_pool_v1.workers(&ampc_pool_v1), 2);
}

} // namespace
