//===- Inputs.cpp - Where ampc-run takes its inputs from ------------------===//

#include "Inputs.h"

#include <set>

using namespace ampc;
using namespace ampc::run;

Inputs::Inputs(std::vector<ampc_tensor_info> infos)
    : infos(std::move(infos)), given(this->infos.size()) {}

std::optional<size_t> Inputs::find(const std::string &name) const {
  for (size_t i = 0; i < infos.size(); ++i)
    if (infos[i].name == name)
      return i;
  return std::nullopt;
}

std::string Inputs::names() const {
  std::string text;
  for (const ampc_tensor_info &info : infos)
    text += (text.empty() ? "\"" : ", \"") + std::string(info.name) + "\"";
  return text.empty() ? "none" : text;
}

bool Inputs::set(size_t index, HostTensor tensor, const std::string &file,
                 std::string &error) {
  if (given[index]) {
    error = file + ": input \"" + infos[index].name + "\" is given twice";
    return false;
  }
  if (!tensor.reinterpret(infos[index].dtype)) {
    error = file + ": input \"" + infos[index].name + "\" has elements of " +
            dtypeName(tensor.dtype()) + ", expected " +
            dtypeName(infos[index].dtype);
    return false;
  }
  given[index] = std::move(tensor);
  return true;
}

bool Inputs::addFile(const std::string &argument, std::string &error) {
  // Names and files may hold '='; the split is where the front names an input.
  std::string file = argument;
  std::optional<size_t> index;
  for (size_t at = argument.find('='); at != std::string::npos && !index;
       at = argument.find('=', at + 1))
    if ((index = find(argument.substr(0, at))))
      file = argument.substr(at + 1);
  std::optional<std::vector<NamedTensor>> tensors = readTensorFile(file, error);
  if (!tensors) {
    size_t equals = argument.find('=');
    if (!index && equals != std::string::npos)
      error = "the model has no input \"" + argument.substr(0, equals) +
              "\"; its inputs: " + names();
    return false;
  }
  if (index) {
    if (tensors->size() != 1) {
      error = file + ": holds " + std::to_string(tensors->size()) +
              " tensors, expected one for input \"" + infos[*index].name + "\"";
      return false;
    }
    return set(*index, std::move(tensors->front().tensor), file, error);
  }
  for (NamedTensor &named : *tensors) {
    index = find(named.name);
    if (!index) {
      error = named.name.empty()
                  ? file + ": holds no name; give it as NAME=" + file
                  : file + ": the model has no input \"" + named.name +
                        "\"; its inputs: " + names();
      return false;
    }
    if (!set(*index, std::move(named.tensor), file, error))
      return false;
  }
  return true;
}

bool Inputs::fillRandomly(const std::map<std::string, int64_t> &dims,
                          uint64_t seed, std::string &error) {
  std::set<std::string> used;
  for (size_t i = 0; i < infos.size(); ++i) {
    const ampc_tensor_info &info = infos[i];
    std::vector<int64_t> shape;
    for (int32_t d = 0; d < info.rank; ++d) {
      std::string name = info.symbols && info.symbols[d]
                             ? info.symbols[d]
                             : info.name + ("." + std::to_string(d));
      auto found = dims.find(name);
      if (found != dims.end() && info.dims[d] < 0)
        used.insert(name);
      if (given[i])
        continue;
      if (info.dims[d] < 0 && found == dims.end()) {
        error = "input \"" + std::string(info.name) + "\" is " +
                describe(info) + ": give --random-inputs " + name + "=N";
        return false;
      }
      shape.push_back(info.dims[d] < 0 ? found->second : info.dims[d]);
    }
    if (given[i])
      continue;
    if (!byteSize(info.dtype, shape)) {
      error = "input \"" + std::string(info.name) + "\" of shape " +
              toString(shape) + " is too large";
      return false;
    }
    HostTensor tensor(info.dtype, shape);
    run::fillRandomly(tensor, seed * 1000003 + i);
    given[i] = std::move(tensor);
  }
  for (const auto &[name, size] : dims)
    if (!used.count(name)) {
      error = "--random-inputs " + name + "=" + std::to_string(size) +
              ": no input has a dynamic dimension of that name";
      return false;
    }
  return true;
}

bool Inputs::complete(std::string &error) const {
  std::string missing;
  for (size_t i = 0; i < infos.size(); ++i)
    if (!given[i])
      missing +=
          (missing.empty() ? "" : ", ") +
          ("\"" + std::string(infos[i].name) + "\" " + describe(infos[i]));
  if (missing.empty())
    return true;
  error = "missing inputs: " + missing + "; give --input or --random-inputs";
  return false;
}
