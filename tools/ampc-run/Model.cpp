//===- Model.cpp - The model that ampc-run runs ---------------------------===//

#include "Model.h"

#include "tools/tensorfile/HostTensor.h"

using namespace ampc;
using namespace ampc::run;

std::unique_ptr<Model> Model::open(const std::string &path, int threads,
                                   std::string &error) {
  char text[1024] = "";
  std::unique_ptr<Model> opened(new Model());
  // A bare name means this folder, not the system's library path.
  std::string file = path.find('/') == std::string::npos ? "./" + path : path;
  if (!ampc_library_open(file.c_str(), &opened->library, text, sizeof(text))) {
    error = text;
    return nullptr;
  }
  const ampc_api_v1 *api = opened->api();
  ampc_context_options options = {sizeof(options), threads};
  if (api->model_create(api, nullptr, &opened->model, text, sizeof(text)) ||
      api->context_create(opened->model, &options, &opened->runContext, text,
                          sizeof(text))) {
    error = path + ": " + text;
    return nullptr;
  }
  return opened;
}

Model::~Model() {
  if (library.api) {
    library.api->context_destroy(runContext);
    library.api->model_destroy(model);
  }
  ampc_library_close(&library);
}

std::vector<ampc_tensor_info> Model::inputs() const {
  std::vector<ampc_tensor_info> infos(api()->num_inputs(api()));
  for (uint32_t i = 0; i < infos.size(); ++i)
    api()->input_info(api(), i, &infos[i]);
  return infos;
}

std::vector<ampc_tensor_info> Model::outputs() const {
  std::vector<ampc_tensor_info> infos(api()->num_outputs(api()));
  for (uint32_t i = 0; i < infos.size(); ++i)
    api()->output_info(api(), i, &infos[i]);
  return infos;
}

std::string ampc::run::dtypeName(int32_t dtype) {
  const ampc_dtype_info *info = dtypeInfo(dtype);
  return info ? info->name : "unknown type " + std::to_string(dtype);
}

std::string ampc::run::describe(const ampc_tensor_info &info) {
  std::string text = dtypeName(info.dtype) + " [";
  for (int32_t i = 0; i < info.rank; ++i) {
    text += i ? ", " : "";
    if (info.dims[i] >= 0)
      text += std::to_string(info.dims[i]);
    else
      text += info.symbols && info.symbols[i] ? info.symbols[i] : "?";
  }
  return text + "]";
}
