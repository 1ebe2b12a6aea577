//===- main.cpp - The tuner's command line --------------------------------===//

#include "autotune/ExportTable.h"
#include "autotune/TuningDatabase.h"
#include "compiler/driver/Compiler.h"
#include "compiler/driver/Registration.h"
#include "compiler/driver/Tuning.h"
#include "compiler/export/TemporaryFile.h"

#include <CLI/CLI.hpp>

using ampc::tune::TuningDatabase;

static const char *const examples = R"(Examples:
  ampc-tune kernels model.onnx                    measure its kernels, 1 or 2 s each
  ampc-tune kernels model.onnx --full --dim batch=1
  ampc model.onnx -o model.so --tune-db ~/.cache/ampc/tuning.db    use what was measured
  ampc-tune merge all.db a.db b.db                the best of several databases
  ampc-tune export all.db -o defaults.txt         what a table of defaults needs
Stopped at any time, `kernels` goes on from there the next time. Any number of
processes may use one database.)";

static int fail(const llvm::Twine &message, int code = 1) {
  llvm::errs() << "ampc-tune: error: " << message
               << (code == 2 ? " (see ampc-tune --help)\n" : "\n");
  return code;
}

static int fail(llvm::Error error) {
  return fail(llvm::toString(std::move(error)));
}

/// Adds what `inputs` know to `output`.
static int merge(const std::string &output,
                 const std::vector<std::string> &inputs) {
  // All of them are looked at before the first is used.
  std::vector<TuningDatabase> databases;
  for (const std::string &input : inputs) {
    auto database =
        TuningDatabase::open(input, TuningDatabase::Access::Existing);
    if (!database)
      return fail(database.takeError());
    databases.push_back(std::move(*database));
  }
  auto merged = TuningDatabase::open(output, TuningDatabase::Access::Create);
  if (!merged)
    return fail(merged.takeError());
  for (const TuningDatabase &database : databases)
    if (llvm::Error error = merged->merge(database))
      return fail(std::move(error));
  return 0;
}

/// Writes the table to `output`, or to standard output.
static int exportTo(const std::string &file, const std::string &output) {
  auto database = TuningDatabase::open(file, TuningDatabase::Access::Existing);
  if (!database)
    return fail(database.takeError());
  mlir::DialectRegistry registry;
  ampc::registerDialects(registry);
  if (!output.empty()) {
    if (llvm::Error error =
            ampc::writeFile(output, [&](llvm::raw_pwrite_stream &stream) {
              return ampc::tune::exportTable(*database, registry, stream);
            }))
      return fail(std::move(error));
    return 0;
  }
  if (llvm::Error error =
          ampc::tune::exportTable(*database, registry, llvm::outs()))
    return fail(std::move(error));
  llvm::outs().flush();
  if (std::error_code code = llvm::outs().error()) {
    llvm::outs().clear_error();
    return fail("cannot write to standard output: " + code.message());
  }
  return 0;
}

int main(int argc, char **argv) {
  CLI::App app("ampc-tune measures which code is the fastest on this machine.",
               "ampc-tune");
  app.set_version_flag("--version", "ampc-tune " AMPC_VERSION);
  app.footer(examples);
  app.require_subcommand(1);

  ampc::Options options;
  std::vector<std::string> dims;
  bool full = false, quick = false;
  CLI::App *kernels = app.add_subcommand(
      "kernels", "measure the kernels of a model that the database lacks");
  kernels->add_option("MODEL", options.input, "an ONNX model, or .mlir")
      ->required();
  kernels
      ->add_option("--db", options.tuneDatabase,
                   "database, made if need be (default: tuning.db in the "
                   "user's cache folder for ampc)")
      ->type_name("FILE");
  CLI::Option *quickly = kernels->add_flag(
      "--quick", quick, "14 schedules a kernel, 5 rounds each (default)");
  kernels->add_flag("--full", full, "all schedules, 15 rounds each")
      ->excludes(quickly);
  kernels
      ->add_option("--dim", dims,
                   "fix a dynamic dimension, as for ampc; kernels whose sizes "
                   "stay open are left out; may be repeated")
      ->type_name("NAME=N")
      ->take_all();
  kernels
      ->add_option("--target", options.target,
                   "processor: native, or LLVM's name of one whose code this "
                   "machine runs")
      ->type_name("CPU")
      ->capture_default_str();
  kernels
      ->add_option("--max-nodes", options.maxNodes,
                   "refuse models that are, or expand to, more nodes")
      ->type_name("N")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  kernels->add_flag("--verbose", options.verbose,
                    "also print what is left out, and times of steps");

  std::string output, input;
  std::vector<std::string> inputs;
  CLI::App *merging = app.add_subcommand(
      "merge", "add what databases know to one; of two measurements of one "
               "schedule the better counts, a failure more than a time");
  merging->add_option("OUT", output, "database, made if need be")->required();
  merging->add_option("IN", inputs, "databases")->required();

  CLI::App *exporting = app.add_subcommand(
      "export", "write the table of the schedules that are worth it");
  exporting->add_option("DB", input, "database")->required();
  exporting
      ->add_option("-o,--output", output, "file instead of standard output")
      ->type_name("FILE");

  try {
    app.parse(argc, argv);
  } catch (const CLI::Success &help) {
    return app.exit(help);
  } catch (const CLI::ParseError &error) {
    return fail(error.what(), 2);
  }
  if (*merging)
    return merge(output, inputs);
  if (*exporting)
    return exportTo(input, output);

  options.tune = full ? "full" : "quick";
  for (const std::string &dim : dims)
    if (std::string problem = options.addDim(dim); !problem.empty())
      return fail(problem, 2);
  return ampc::exitStatus(ampc::tuneKernels(options, llvm::errs()));
}
