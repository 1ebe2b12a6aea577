// Runs a model with one float input [N, 3], whatever the shape of its output,
// from C++:
//
//   c++ run.cpp -I <folder of ampc.h> -o run && ./run ./model.so
//
#include "ampc_load.h"

#include <cstdio>
#include <memory>
#include <stdexcept>
#include <vector>

static void check(ampc_status status, const char *message) {
  if (status != AMPC_OK)
    throw std::runtime_error(message);
}

static void run(const char *path) {
  char message[512];
  ampc_library library;
  if (!ampc_library_open(path, &library, message, sizeof message))
    throw std::runtime_error(message);
  const ampc_api_v1 *api = library.api;

  ampc_model *m;
  check(api->model_create(api, nullptr, &m, message, sizeof message), message);
  std::unique_ptr<ampc_model, void (*)(ampc_model *)> model(m,
                                                            api->model_destroy);
  ampc_context *c;
  check(api->context_create(m, nullptr, &c, message, sizeof message), message);
  std::unique_ptr<ampc_context, void (*)(ampc_context *)> context(
      c, api->context_destroy);

  for (int64_t n : {1, 2}) { // The shape may change from run to run.
    std::vector<float> x(n * 3, 0.5f);
    int64_t dims[] = {n, 3};
    DLTensor input = ampc_tensor(api, AMPC_FLOAT, x.data(), 2, dims);
    const DLTensor *inputs[] = {&input};
    check(api->run(c, inputs, 1, nullptr, 0), api->last_error(c));
    DLTensor y; // The library's memory: ask for shape and address.
    check(api->output(c, 0, &y), api->last_error(c));
    int64_t count = 1;
    for (int i = 0; i < y.ndim; ++i)
      count *= y.shape[i];
    for (int64_t i = 0; i < count; ++i)
      std::printf("%g ", static_cast<float *>(y.data)[i]);
    std::printf("\n");
  }
}

int main(int argc, char **argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s MODEL.so\n", argv[0]);
    return 2;
  }
  try {
    run(argv[1]);
  } catch (const std::exception &failure) {
    std::fprintf(stderr, "%s\n", failure.what());
    return 1;
  }
}
