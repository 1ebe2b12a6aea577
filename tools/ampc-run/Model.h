//===- Model.h - The model that ampc-run runs --------------------*- C++
//-*-===//

#ifndef AMPC_TOOLS_AMPC_RUN_MODEL_H
#define AMPC_TOOLS_AMPC_RUN_MODEL_H

#include "runtime/ampc_load.h"

#include <memory>
#include <string>
#include <vector>

namespace ampc::run {

/// An opened library with a model and a context.
class Model {
public:
  /// Null and `error` on failure. `threads` as in ampc_context_options.
  static std::unique_ptr<Model> open(const std::string &path, int threads,
                                     std::string &error);
  ~Model();
  Model(const Model &) = delete;

  const ampc_api_v1 *api() const { return library.api; }
  ampc_context *context() const { return runContext; }
  /// Null if the model was compiled without.
  const ampc_profile *profile() const { return ampc_library_profile(&library); }
  std::vector<ampc_tensor_info> inputs() const;
  std::vector<ampc_tensor_info> outputs() const;

private:
  Model() = default;
  ampc_library library = {};
  ampc_model *model = nullptr;
  ampc_context *runContext = nullptr;
};

/// Name of an ampc_dtype for people.
std::string dtypeName(int32_t dtype);

/// "float [batch, 3, ?]"
std::string describe(const ampc_tensor_info &info);

} // namespace ampc::run

#endif // AMPC_TOOLS_AMPC_RUN_MODEL_H
