//===- Options.h - ampc-run's command line -----------------------*- C++
//-*-===//

#ifndef AMPC_TOOLS_AMPC_RUN_OPTIONS_H
#define AMPC_TOOLS_AMPC_RUN_OPTIONS_H

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ampc::run {

struct Options {
  std::string model;
  std::vector<std::string> inputs;
  std::string outputDir; ///< Empty: none.
  int repeat = 1;
  int threads = 0;
  bool profile = false;    ///< Print a table of kernels.
  std::string profileJson; ///< File to write the same to; empty: none.
  bool randomInputs = false;
  std::map<std::string, int64_t> randomDims;
  uint64_t seed = 0;
};

/// Parses the command line. Otherwise (help, wrong usage) it has printed what
/// there is to say and `exitCode` is set: 0 or 2.
std::optional<Options> parseOptions(int argc, char **argv, int &exitCode);

} // namespace ampc::run

#endif // AMPC_TOOLS_AMPC_RUN_OPTIONS_H
