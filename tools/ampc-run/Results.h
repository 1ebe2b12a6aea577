//===- Results.h - What ampc-run leaves behind -------------------*- C++
//-*-===//

#ifndef AMPC_TOOLS_AMPC_RUN_RESULTS_H
#define AMPC_TOOLS_AMPC_RUN_RESULTS_H

#include "Model.h"

namespace ampc::run {

/// Writes the outputs of the last run as 0.npy, 1.npy, ... and, last,
/// outputs.json: an array of {"name", "dtype", "shape", "file"} in the model's
/// order. Makes the folder if need be.
bool writeOutputs(Model &model, const std::string &folder, std::string &error);

} // namespace ampc::run

#endif // AMPC_TOOLS_AMPC_RUN_RESULTS_H
