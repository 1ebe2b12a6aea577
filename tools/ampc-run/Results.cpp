//===- Results.cpp - What ampc-run leaves behind --------------------------===//

#include "Results.h"

#include "tools/tensorfile/TensorFile.h"

#include <filesystem>
#include <nlohmann/json.hpp>

using namespace ampc;
using namespace ampc::run;

bool ampc::run::writeOutputs(Model &model, const std::string &folder,
                             std::string &error) {
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure) {
    error = folder + ": " + failure.message();
    return false;
  }
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  std::vector<ampc_tensor_info> infos = model.outputs();
  for (uint32_t i = 0; i < infos.size(); ++i) {
    DLTensor tensor;
    if (model.api()->output(model.context(), i, &tensor)) {
      error = model.api()->last_error(model.context());
      return false;
    }
    std::string file = std::to_string(i) + ".npy";
    if (!writeNpy(folder + "/" + file, infos[i].dtype, tensor, error))
      return false;
    list.push_back({{"name", infos[i].name},
                    {"dtype", dtypeName(infos[i].dtype)},
                    {"shape", std::vector<int64_t>(tensor.shape,
                                                   tensor.shape + tensor.ndim)},
                    {"file", file}});
  }
  return writeFile(folder + "/outputs.json", list.dump(2) + "\n", nullptr, 0,
                   error);
}
