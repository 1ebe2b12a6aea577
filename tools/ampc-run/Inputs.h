//===- Inputs.h - Where ampc-run takes its inputs from -----------*- C++
//-*-===//

#ifndef AMPC_TOOLS_AMPC_RUN_INPUTS_H
#define AMPC_TOOLS_AMPC_RUN_INPUTS_H

#include "Model.h"
#include "tools/tensorfile/TensorFile.h"

#include <map>
#include <optional>

namespace ampc::run {

/// One tensor for each input of the model, in order.
class Inputs {
public:
  explicit Inputs(std::vector<ampc_tensor_info> infos);

  /// Takes `argument`, of the form name=FILE, or FILE with named tensors.
  bool addFile(const std::string &argument, std::string &error);

  /// Fills the inputs that have no tensor yet. `dims` gives sizes of dynamic
  /// dimensions by their symbol, or by "input.axis" where they have none; each
  /// must be used.
  bool fillRandomly(const std::map<std::string, int64_t> &dims, uint64_t seed,
                    std::string &error);

  /// False, naming those that are missing, unless all inputs have a tensor.
  bool complete(std::string &error) const;

  std::vector<std::optional<HostTensor>> &tensors() { return given; }

private:
  bool set(size_t index, HostTensor tensor, const std::string &file,
           std::string &error);
  std::optional<size_t> find(const std::string &name) const;
  std::string names() const;

  std::vector<ampc_tensor_info> infos;
  std::vector<std::optional<HostTensor>> given;
};

/// Fills `tensor` from a generator that is the same everywhere: floats and
/// complex parts uniform in [0, 1), integers uniform in 0..9 (as far as the
/// type holds them), booleans evenly.
void fillRandomly(HostTensor &tensor, uint64_t seed);

} // namespace ampc::run

#endif // AMPC_TOOLS_AMPC_RUN_INPUTS_H
