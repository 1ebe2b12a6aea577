//===- Kernels.cpp - What a call of compiled models costs from C ----------===//
//
// ampc-benchmark [--benchmark_...] MODEL.so... : one benchmark a model, named
// after its file. A run is one call of ampc_api_v1.run on one thread, with
// inputs and outputs that exist beforehand. Dynamic dimensions are 1.
//
//===----------------------------------------------------------------------===//

#include "ampc_load.h"

#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace {

/// A tensor and what it points to.
struct Array {
  std::vector<int64_t> dims;
  std::unique_ptr<void, void (*)(void *)> memory{nullptr, std::free};
  DLTensor tensor = {};

  bool make(const ampc_api_v1 *api, int32_t dtype, const int64_t *sizes,
            int rank) {
    ampc_dtype_info info;
    if (api->dtype_info(dtype, &info))
      return false;
    int64_t bytes = info.size;
    for (int i = 0; i < rank; ++i) {
      dims.push_back(sizes[i] < 0 ? 1 : sizes[i]);
      bytes *= dims.back();
    }
    // Whole cache lines, of which aligned_alloc wants a multiple.
    size_t space = (size_t(bytes) / 64 + 1) * 64;
    memory.reset(std::aligned_alloc(64, space));
    if (!memory)
      return false;
    std::memset(memory.get(), 0, space);
    // Not zeros, which some operations are quick with.
    if (dtype == AMPC_FLOAT)
      for (int64_t i = 0; i < bytes / 4; ++i)
        static_cast<float *>(memory.get())[i] = float(i % 251) / 128 - 1;
    tensor =
        ampc_tensor(api, ampc_dtype(dtype), memory.get(), rank, dims.data());
    return true;
  }
};

/// A library, its model and all that a call takes.
class Model {
public:
  ~Model() {
    if (library.api) {
      library.api->context_destroy(context);
      library.api->model_destroy(model);
    }
    ampc_library_close(&library);
  }

  /// False and the reason in `error`.
  bool open(const char *path, std::string &error) {
    char text[1024] = "";
    // A bare name means this folder, not the system's library path.
    std::string file = std::strchr(path, '/') ? path : "./" + std::string(path);
    if (!ampc_library_open(file.c_str(), &library, text, sizeof text)) {
      error = text;
      return false;
    }
    const ampc_api_v1 *api = library.api;
    ampc_context_options options = {sizeof options, 1};
    if (api->model_create(api, nullptr, &model, text, sizeof text) ||
        api->context_create(model, &options, &context, text, sizeof text)) {
      error = std::string(path) + ": " + text;
      return false;
    }
    error = std::string(path) + ": out of memory";
    for (uint32_t i = 0; i < api->num_inputs(api); ++i) {
      ampc_tensor_info info;
      api->input_info(api, i, &info);
      arrays.push_back(std::make_unique<Array>());
      if (!arrays.back()->make(api, info.dtype, info.dims, info.rank))
        return false;
      inputs.push_back(&arrays.back()->tensor);
    }
    // The first run's outputs say what sizes they have.
    if (api->run(context, inputs.data(), inputs.size(), nullptr, 0)) {
      error = std::string(path) + ": " + api->last_error(context);
      return false;
    }
    for (uint32_t i = 0; i < api->num_outputs(api); ++i) {
      ampc_tensor_info info;
      DLTensor made;
      api->output_info(api, i, &info);
      arrays.push_back(std::make_unique<Array>());
      if (api->output(context, i, &made) ||
          !arrays.back()->make(api, info.dtype, made.shape, made.ndim))
        return false;
      outputs.push_back(&arrays.back()->tensor);
    }
    return true;
  }

  void run(benchmark::State &state) {
    const ampc_api_v1 *api = library.api;
    for (auto _ : state)
      if (api->run(context, inputs.data(), inputs.size(), outputs.data(),
                   outputs.size())) {
        state.SkipWithError(api->last_error(context));
        break;
      }
  }

private:
  ampc_library library = {};
  ampc_model *model = nullptr;
  ampc_context *context = nullptr;
  std::vector<std::unique_ptr<Array>> arrays;
  std::vector<const DLTensor *> inputs;
  std::vector<DLTensor *> outputs;
};

} // namespace

int main(int argc, char **argv) {
  benchmark::Initialize(&argc, argv);
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s [--benchmark_...] MODEL.so...\n", argv[0]);
    return 2;
  }
  std::vector<std::unique_ptr<Model>> models;
  for (int i = 1; i < argc; ++i) {
    std::string error;
    models.push_back(std::make_unique<Model>());
    Model *model = models.back().get();
    if (!model->open(argv[i], error)) {
      std::fprintf(stderr, "ampc-benchmark: %s\n", error.c_str());
      return 1;
    }
    const char *slash = std::strrchr(argv[i], '/');
    benchmark::RegisterBenchmark(
        slash ? slash + 1 : argv[i],
        [model](benchmark::State &state) { model->run(state); });
  }
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
