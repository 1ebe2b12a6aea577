//===- ProfileTest.cpp - The times of kernels -----------------------------===//

#include "ModelFixture.h"

#include <thread>

namespace {

void runTimes(LoadedModel &model, int count) {
  CalcInputs inputs(40);
  ampc_context *context = model.newContext(2);
  for (int i = 0; i < count; ++i)
    EXPECT_EQ(model.api->run(context, inputs.pointers, 4, nullptr, 0), AMPC_OK)
        << model.api->last_error(context);
  model.api->context_destroy(context);
}

TEST(Profile, NoneWithoutAsking) {
  LoadedModel model(CALC_MODEL);
  EXPECT_EQ(ampc_library_profile(&model.library), nullptr);
}

TEST(Profile, CountsCallsOfAllContexts) {
  LoadedModel model(PROFILED_MODEL);
  const ampc_profile *profile = ampc_library_profile(&model.library);
  ASSERT_NE(profile, nullptr);
  EXPECT_EQ(profile->struct_size, sizeof(ampc_profile));
  ASSERT_EQ(profile->num_launches, 3u);
  EXPECT_STREQ(profile->launches[1].kernel, "pointwise_1");
  EXPECT_STREQ(profile->launches[1].ops[0], "Mul");
  // The pool may keep the library, with its times, from an earlier test.
  const ampc_launch_times before[] = {profile->times[0], profile->times[1]};

  std::thread others[] = {std::thread(runTimes, std::ref(model), 50),
                          std::thread(runTimes, std::ref(model), 50)};
  runTimes(model, 50);
  for (std::thread &other : others)
    other.join();
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(profile->times[i].calls - before[i].calls, 150u);
    EXPECT_GT(profile->times[i].total_ns, before[i].total_ns);
  }
  // No run launches it.
  EXPECT_EQ(profile->times[2].calls, 0u);
  EXPECT_EQ(profile->times[2].total_ns, 0u);
}

} // namespace
