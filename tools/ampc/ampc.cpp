//===- ampc.cpp - The compiler's command line -----------------------------===//

#include "compiler/driver/Compiler.h"
#include "compiler/driver/Info.h"
#include "compiler/driver/SupportTable.h"

#include "llvm/ADT/Twine.h"

#include <CLI/CLI.hpp>

static const char *const examples = R"(Examples:
  ampc model.onnx -o model.so                 compile for this machine
  ampc model.onnx -o model.so --dim batch=1   with a dimension fixed
  ampc model.onnx -o model.so --target=x86-64-v3
  ampc model.onnx -o model.so --report=ops.json
  ampc model.onnx -o model.so --tune=quick    measure the fastest kernels for this machine
  ampc model.onnx -o model.so --profile       to see what takes the time: ampc-run model.so --profile
  ampc check model.onnx                       what of a model is supported, and why not
  ampc info model.so                          what is in a file
The suffix of -o decides what is written:
  .so    shared library for any number of callers (see ampc.h)
  .o .h  object file and header to link into a program
  .ll    LLVM IR     .mlir  the imported model as IR)";

int main(int argc, char **argv) {
  CLI::App app("ampc compiles neural networks.", "ampc");
  app.set_version_flag("--version", "ampc " AMPC_VERSION);
  app.footer(examples);
  app.require_subcommand(0, 1);

  ampc::Options options;
  std::vector<std::string> dims;
  app.add_option("MODEL", options.input, "an ONNX model, or .mlir");
  app.add_option("-o,--output", options.output, "file to write")
      ->type_name("OUT");
  app.add_option("--dim", dims,
                 "fix a dynamic dimension (one without a name is INPUT[I]),\n"
                 "or the length of a sequence input, whose tensors are then\n"
                 "NAME.0, NAME.1, ...; 0 or 1 for an optional input; may be\n"
                 "repeated")
      ->type_name("NAME=N")
      ->take_all();
  app.add_option("--target", options.target,
                 "processor: native, or LLVM's name of one")
      ->type_name("CPU")
      ->capture_default_str();
  app.add_option("--precision", options.precision, "how to compute: f32")
      ->type_name("P")
      ->capture_default_str();
  app.add_option("--max-nodes", options.maxNodes,
                 "refuse models that are, or expand to, more nodes")
      ->type_name("N")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--tune", options.tune,
                 "measure kernels on this machine first: off, quick (1 or 2 s\n"
                 "a kernel) or full; what was measured before counts")
      ->type_name("EFFORT")
      ->capture_default_str();
  app.add_option("--tune-db", options.tuneDatabase,
                 "database of measurements to use (default: with --tune, the\n"
                 "user's own; else none); see ampc-tune")
      ->type_name("FILE");
  app.add_option("--weights", options.weights,
                 "how large weights are stored: f32, f16 or bf16; arithmetic\n"
                 "stays as it is")
      ->type_name("FORMAT")
      ->capture_default_str();
  app.add_flag("--external-weights", options.externalWeights,
               "put the weights into OUT.weights");
  app.add_flag("--profile", options.profile,
               "let the model record how long its kernels take; see\n"
               "ampc-run --profile");
  app.add_option("--report", options.report,
                 "write a record of each op as JSON")
      ->type_name("FILE");
  app.add_flag("--verbose", options.verbose, "print the time of each step");

  std::string file;
  CLI::App *info = app.add_subcommand(
      "info", "print the signature of a model and what it was compiled for");
  info->add_option("FILE", file, ".so, .o, .onnx or .mlir")->required();

  CLI::App *check = app.add_subcommand(
      "check", "print what of a model is supported, and its dimensions; the "
               "exit code is 0 if all is");
  check->add_option("FILE", file, "an ONNX model")->required();

  auto usageError = [](const llvm::Twine &message) {
    llvm::errs() << "ampc: error: " << message << " (see ampc --help)\n";
    return 2;
  };
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success &help) {
    return app.exit(help);
  } catch (const CLI::ParseError &error) {
    return usageError(error.what());
  }
  // A full disk must not go unnoticed behind a redirection.
  auto finish = [](bool ok) {
    llvm::outs().flush();
    if (std::error_code code = llvm::outs().error()) {
      llvm::outs().clear_error();
      llvm::errs() << "ampc: error: cannot write to standard output: "
                   << code.message() << "\n";
      ok = false;
    }
    return ok ? 0 : 1;
  };
  if (*info)
    return finish(ampc::printInfo(file, llvm::outs(), llvm::errs()));

  if (*check) {
    options.input = file;
    return finish(ampc::printSupport(options, llvm::outs(), llvm::errs()));
  }
  if (options.input.empty())
    return usageError("no model given");
  if (options.output.empty())
    return usageError("no -o given");
  for (const std::string &dim : dims)
    if (std::string problem = options.addDim(dim); !problem.empty())
      return usageError(problem);
  return ampc::exitStatus(ampc::compile(options, llvm::errs()));
}
