//===- Options.cpp - ampc-run's command line ------------------------------===//

#include "Options.h"

#include <CLI/CLI.hpp>
#include <charconv>

using namespace ampc::run;

namespace {

const char *const examples = R"(Examples:
  ampc-run model.so --input x=x.npy --output-dir out
  ampc-run model.so --input inputs.npz
  ampc-run model.so --random-inputs batch=8,length=128 --repeat 100 --threads 1
  ampc-run model.so --random-inputs batch=8 --repeat 100 --profile

Exit status: 0, 1 for errors, 2 for wrong usage.)";

/// "name=N,name=N" as given to --random-inputs.
void parseDims(const std::string &text, std::map<std::string, int64_t> &dims) {
  for (const std::string &item : CLI::detail::split(text, ',')) {
    size_t equals = item.rfind('=');
    int64_t size = -1;
    const char *end = item.data() + item.size();
    std::from_chars_result result = {nullptr, std::errc::invalid_argument};
    if (equals != std::string::npos && equals != 0)
      result = std::from_chars(item.data() + equals + 1, end, size);
    if (result.ec != std::errc() || result.ptr != end || size < 0)
      throw CLI::ValidationError("--random-inputs", "\"" + item +
                                                        "\" is not of the form "
                                                        "DIM=N");
    dims[item.substr(0, equals)] = size;
  }
}

} // namespace

std::optional<Options> ampc::run::parseOptions(int argc, char **argv,
                                               int &exitCode) {
  Options options;
  std::string dims;
  CLI::App app("Runs a model compiled by ampc, prints shapes and times.",
               "ampc-run");
  app.footer(examples);
  app.add_option("model", options.model, "The model library (.so)")->required();
  app.add_option("--input", options.inputs,
                 "NAME=FILE with FILE .npy or .pb (ONNX TensorProto), or a "
                 "file that holds names: .npz, .pb; repeatable")
      ->type_name("[NAME=]FILE")
      ->allow_extra_args(false);
  app.add_option("--output-dir", options.outputDir,
                 "Write 0.npy, 1.npy, ... (bfloat16 as uint16) and "
                 "outputs.json to this folder")
      ->type_name("DIR");
  app.add_option("--repeat", options.repeat,
                 "Timed runs; with more than one, an untimed one goes first")
      ->type_name("N")
      ->check(CLI::Range(1, 1000000000))
      ->capture_default_str();
  app.add_option("--threads", options.threads,
                 "Threads to use; 0: as many as there are CPUs")
      ->type_name("N")
      ->check(CLI::Range(0, 256))
      ->capture_default_str();
  app.add_flag("--profile", options.profile,
               "Print how long each kernel takes in a run, the slowest first, "
               "and the nodes it computes; for models compiled with "
               "ampc --profile. Shares are of the sum of minimums");
  app.add_option("--profile-json", options.profileJson,
                 "Write the same as JSON")
      ->type_name("FILE");
  auto *random =
      app.add_option("--random-inputs", dims,
                     "Make up the inputs not given: floats in [0, 1), integers "
                     "in 0..9. Sizes of dynamic dimensions by their name, or "
                     "by input.axis where they have none")
          ->type_name("[DIM=N,...]")
          ->expected(0, 1)
          ->take_last();
  app.add_option("--seed", options.seed, "Of the random inputs")
      ->type_name("N")
      ->capture_default_str();
  try {
    app.parse(argc, argv);
    options.randomInputs = random->count() > 0;
    if (!dims.empty())
      parseDims(dims, options.randomDims);
  } catch (const CLI::ParseError &failure) {
    if (failure.get_exit_code() == 0) {
      app.exit(failure); // --help
      exitCode = 0;
    } else {
      fprintf(stderr, "ampc-run: %s (see --help)\n", failure.what());
      exitCode = 2;
    }
    return std::nullopt;
  }
  return options;
}
