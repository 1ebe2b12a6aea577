//===- Compiler.cpp - A model file becomes a compiled model ---------------===//

#include "compiler/driver/Compiler.h"

#include "autotune/ModelTuner.h"
#include "compiler/driver/Diagnostics.h"
#include "compiler/driver/Files.h"
#include "compiler/driver/FoldConstants.h"
#include "compiler/driver/Pipelines.h"
#include "compiler/driver/Registration.h"
#include "compiler/driver/Report.h"
#include "compiler/driver/StepTimer.h"
#include "compiler/driver/Tuning.h"
#include "compiler/export/Export.h"
#include "compiler/export/TemporaryFile.h"
#include "compiler/export/WeightBytes.h"
#include "compiler/import/onnx/Import.h"
#include "compiler/target/cpu/CodeGenerator.h"
#include "compiler/target/cpu/Pipeline.h"
#include "passes/Passes.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace ampc;

namespace {

enum class Format { unknown, shared, object, header, llvmIR, mlir };

Format formatOf(StringRef path) {
  return llvm::StringSwitch<Format>(llvm::sys::path::extension(path))
      .Case(".so", Format::shared)
      .Case(".o", Format::object)
      .Case(".h", Format::header)
      .Case(".ll", Format::llvmIR)
      .Case(".mlir", Format::mlir)
      .Default(Format::unknown);
}

/// One compilation.
class Compilation {
public:
  Compilation(const Options &options, llvm::raw_ostream &messages)
      : options(options), messages(messages), registry(makeRegistry()),
        context(registry), diagnostics(context, options.input, messages),
        timer(messages, options.verbose) {
    context.loadAllAvailableDialects();
  }

  Outcome run();
  Outcome tune();

private:
  static DialectRegistry makeRegistry() {
    DialectRegistry registry;
    registerDialects(registry);
    cpu::registerCodeGeneration(registry);
    return registry;
  }

  llvm::Error checkOptions();
  llvm::Error checkTarget();
  llvm::Error checkInput();
  llvm::Error checkFiles();
  OwningOpRef<ModuleOp> read();
  bool runPasses(ModuleOp module, StringRef step,
                 llvm::function_ref<void(OpPassManager &)> add);
  OwningOpRef<ModuleOp> readModel();
  bool formKernels(ModuleOp module, StringRef scratch);
  llvm::Error measureKernels(ModuleOp module);
  bool compileModule(ModuleOp module);
  llvm::Error writeExternalWeights();
  llvm::Error write(ModuleOp module, StringRef prefix);
  llvm::Expected<bool> writeAll(ModuleOp module);
  std::string infoJson() const;

  const Options &options;
  llvm::raw_ostream &messages;
  DialectRegistry registry;
  MLIRContext context;
  Diagnostics diagnostics;
  StepTimer timer;

  Format format = Format::unknown;
  cpu::Processor processor;
  std::optional<tune::Effort> effort; ///< Of tuning, if that is asked for.
  tune::ScheduleSources schedules;
  ModelDescription description;
  std::unique_ptr<amp::WeightLayout> weights;
  // Appear after the output did.
  TemporaryFile weightsFile, reportFile;
};

} // namespace

llvm::Error Compilation::checkOptions() {
  format = formatOf(options.output);
  if (format == Format::unknown)
    return llvm::createStringError(
        "-o '%s': the suffix decides what is written and must be .so, .o, .h, "
        ".ll or .mlir",
        options.output.c_str());
  if (options.precision != "f32")
    return llvm::createStringError("unknown --precision '%s'; known is f32",
                                   options.precision.c_str());
  if (options.weights != "f32" && options.weights != "f16" &&
      options.weights != "bf16")
    return llvm::createStringError(
        "unknown --weights '%s'; known are f32, f16, bf16",
        options.weights.c_str());
  return checkTarget();
}

llvm::Error Compilation::checkTarget() {
  llvm::Expected<cpu::Processor> found = cpu::findProcessor(options.target);
  if (!found)
    return found.takeError();
  processor = std::move(*found);
  llvm::Expected<std::optional<tune::Effort>> wanted =
      effortFor(options, processor);
  if (!wanted)
    return wanted.takeError();
  effort = *wanted;
  return llvm::Error::success();
}

llvm::Error Compilation::checkInput() {
  for (const auto &dim : options.dims)
    if (dim.second < 0)
      return llvm::createStringError("--dim %s=%lld: a size is not negative",
                                     dim.first().str().c_str(),
                                     (long long)dim.second);
  return checkInputFile(options.input);
}

llvm::Error Compilation::checkFiles() {
  if (llvm::Error error = checkInput())
    return error;
  std::string weights = options.output + ".weights";
  for (const std::string &written : {options.output, weights, options.report})
    if (isSameFile(options.input, written))
      return llvm::createStringError("'%s' would overwrite the input '%s'",
                                     written.c_str(), options.input.c_str());
  for (const std::string &written : {options.output, weights})
    if (isSameFile(options.report, written))
      return llvm::createStringError("--report and -o both write '%s'",
                                     written.c_str());
  for (const std::string &written : {options.output, weights, options.report})
    if (!options.tuneDatabase.empty() &&
        isSameFile(options.tuneDatabase, written))
      return llvm::createStringError("'%s' would overwrite the tuning database",
                                     written.c_str());
  return llvm::Error::success();
}

OwningOpRef<ModuleOp> Compilation::read() {
  StringRef suffix = llvm::sys::path::extension(options.input);
  if (suffix == ".mlir") {
    if (!options.dims.empty()) {
      diagnostics.error(options.input +
                        ": --dim is for ONNX models, whose dimensions have "
                        "names that IR no longer has");
      return nullptr;
    }
    ParserConfig config(&context);
    return parseSourceFile<ModuleOp>(options.input, config);
  }
  ImportOptions import;
  import.dims = options.dims;
  import.maxNodes = options.maxNodes;
  return importOnnx(options.input, import, context);
}

bool Compilation::runPasses(ModuleOp module, StringRef step,
                            llvm::function_ref<void(OpPassManager &)> add) {
  PassManager passes(&context);
  add(passes);
  unsigned before = diagnostics.errors();
  bool ok = succeeded(passes.run(module));
  timer.done(step);
  if (!ok && diagnostics.errors() == before)
    diagnostics.error(options.input + ": internal error in step '" + step +
                      "', which gave no reason");
  return ok;
}

/// `scratch` is where temporary files may lie beside.
bool Compilation::formKernels(ModuleOp module, StringRef scratch) {
  if (!runPasses(module, "form kernels", [&](OpPassManager &passes) {
        addTensorPasses(passes, processor.kernelTarget());
      }))
    return false;
  if (llvm::Error error = foldConstants(module, scratch)) {
    diagnostics.error(std::move(error));
    return false;
  }
  timer.done("fold constants");
  if (options.weights != "f32" &&
      !runPasses(module, "narrow weights", [&](OpPassManager &passes) {
        passes.addPass(amp::createNarrowWeights({options.weights}));
      }))
    return false;
  return runPasses(module, "plan memory", addBufferPasses);
}

llvm::Error Compilation::measureKernels(ModuleOp module) {
  tune::TuningSession session{*schedules.database, schedules.machine, registry,
                              processor,           *effort,           messages,
                              options.verbose};
  llvm::Error error = tune::tuneKernels(module, session);
  timer.done("measure kernels");
  return error;
}

/// Whether some contraction is one of dot-product instructions.
static bool multipliesPairs(ModuleOp module) {
  return module
      ->walk([](Operation *op) {
        auto matmul = dyn_cast<amp::MatmulOp>(op);
        auto conv = dyn_cast<amp::ConvOp>(op);
        return (matmul && matmul.getPairs()) || (conv && conv.getPairs())
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

bool Compilation::compileModule(ModuleOp module) {
  if (!formKernels(module, options.output))
    return false;
  if (effort)
    if (llvm::Error error = measureKernels(module)) {
      diagnostics.error(std::move(error));
      return false;
    }
  if (!multipliesPairs(module))
    processor.dropTiles();
  weights = std::make_unique<amp::WeightLayout>(module);
  description.weightsSize = weights->size();
  description.cpuFeatures = processor.featureList();
  module.walk([&](amp::ArenaOp arena) {
    description.numArenas =
        std::max(description.numArenas, uint32_t(arena.getId()) + 1);
  });
  if (!runPasses(module, "emit kernels", [&](OpPassManager &passes) {
        addCpuPasses(passes, processor.kernelTarget(), &schedules,
                     options.profile);
      }))
    return false;
  if (options.profile) {
    description.launches = module->getAttrOfType<ArrayAttr>("amp.launches");
    if (!description.launches) // Nothing to launch, which is a profile too.
      description.launches = ArrayAttr::get(module.getContext(), {});
  }
  return true;
}

std::string Compilation::infoJson() const {
  llvm::json::Object info = description.signature.toJson();
  info["compiler"] = "ampc " AMPC_VERSION;
  info["target"] = processor.name;
  info["cpu_features"] = llvm::json::Array(processor.features);
  info["precision"] = options.precision;
  info["weights"] = options.weights;
  if (options.profile)
    info["profile"] = true;
  info["weights_bytes"] = int64_t(description.weightsSize);
  if (!description.weightsFile.empty())
    info["weights_file"] = description.weightsFile;
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(std::move(info));
  return text;
}

/// Writes what will be `<output>.weights`; afterwards the description names it.
llvm::Error Compilation::writeExternalWeights() {
  std::string path = options.output + ".weights";
  if (llvm::Error error = weightsFile.create(path))
    return error;
  if (llvm::Error error =
          weightsFile.fill([&](llvm::raw_pwrite_stream &stream) {
            description.weightsHash = writeHashedWeights(*weights, stream);
            return llvm::Error::success();
          }))
    return error;
  description.weightsFile = llvm::sys::path::filename(path).str();
  return llvm::Error::success();
}

llvm::Error Compilation::write(ModuleOp module, StringRef prefix) {
  bool external = options.externalWeights && weights->size();
  if (external)
    if (llvm::Error error = writeExternalWeights())
      return error;
  description.infoJson = infoJson();

  llvm::LLVMContext llvmContext;
  std::unique_ptr<llvm::Module> code =
      cpu::translateToLLVM(module, llvmContext, processor);
  if (!code)
    return llvm::createStringError("%s: cannot be translated to LLVM IR",
                                   options.input.c_str());
  addModelDescription(*code, description);
  timer.done("translate to LLVM");

  if (format == Format::llvmIR)
    return writeFile(options.output, [&](llvm::raw_pwrite_stream &stream) {
      code->print(stream, nullptr);
      return llvm::Error::success();
    });
  auto object = [&](llvm::raw_pwrite_stream &stream) {
    llvm::Error error = cpu::writeObject(*code, processor, stream);
    timer.done("generate code");
    return error;
  };
  const amp::WeightLayout *embedded = external ? nullptr : weights.get();
  llvm::Error error =
      format == Format::shared
          ? exportShared(options.output, object, embedded)
          : exportRelocatable(options.output, object, embedded, prefix);
  timer.done("link");
  return error;
}

/// Everything behind the import. False: an error was reported.
llvm::Expected<bool> Compilation::writeAll(ModuleOp module) {
  if (!options.report.empty()) {
    if (llvm::Error error = reportFile.create(options.report))
      return std::move(error);
    if (llvm::Error error = reportFile.fill([&](llvm::raw_pwrite_stream &out) {
          writeReport(module, description.signature, out);
          return llvm::Error::success();
        }))
      return std::move(error);
  }
  std::string prefix = identifier(llvm::sys::path::stem(options.output));
  llvm::Error error = llvm::Error::success();
  if (format == Format::mlir)
    error = writeFile(options.output, [&](llvm::raw_pwrite_stream &stream) {
      module->print(stream, OpPrintingFlags().enableDebugInfo());
      stream << "\n";
      return llvm::Error::success();
    });
  else if (format == Format::header)
    error = exportHeader(options.output, description.signature, prefix,
                         options.profile);
  else if (!compileModule(module))
    return false;
  else
    error = write(module, prefix);
  for (TemporaryFile *file : {&weightsFile, &reportFile})
    if (!error && !file->path().empty())
      error = file->keep();
  if (error)
    return std::move(error);
  return true;
}

/// Null: an error was reported.
OwningOpRef<ModuleOp> Compilation::readModel() {
  llvm::Expected<tune::ScheduleSources> opened =
      openSchedules(options, processor);
  if (!opened) {
    diagnostics.error(opened.takeError());
    return nullptr;
  }
  schedules = std::move(*opened);
  OwningOpRef<ModuleOp> module = read();
  timer.done("import");
  if (!module) {
    if (!diagnostics.errors())
      diagnostics.error(options.input + ": cannot be imported");
    return nullptr;
  }
  if (!module->lookupSymbol<func::FuncOp>("main")) {
    diagnostics.error(options.input + ": has no function 'main' to compile");
    return nullptr;
  }
  return module;
}

Outcome Compilation::tune() {
  if (llvm::Error error = checkTarget()) {
    diagnostics.error(std::move(error));
    return Outcome::WrongUsage;
  }
  if (llvm::Error error = checkInput()) {
    diagnostics.error(std::move(error));
    return Outcome::Failed;
  }
  OwningOpRef<ModuleOp> module = readModel();
  if (!module || !formKernels(*module, tuningDatabasePath(options)))
    return Outcome::Failed;
  if (llvm::Error error = measureKernels(*module)) {
    diagnostics.error(std::move(error));
    return Outcome::Failed;
  }
  return Outcome::Done;
}

Outcome Compilation::run() {
  if (llvm::Error error = checkOptions()) {
    diagnostics.error(std::move(error));
    return Outcome::WrongUsage;
  }
  if (llvm::Error error = checkFiles()) {
    diagnostics.error(std::move(error));
    return Outcome::Failed;
  }
  OwningOpRef<ModuleOp> module = readModel();
  if (!module)
    return Outcome::Failed;
  auto main = module->lookupSymbol<func::FuncOp>("main");
  StringRef name = llvm::sys::path::stem(options.input);
  if (auto given = (*module)->getAttrOfType<StringAttr>("amp.model_name");
      given && !given.empty())
    name = given;
  description.signature = readSignature(main, name);

  llvm::Expected<bool> done = writeAll(*module);
  if (done)
    return *done ? Outcome::Done : Outcome::Failed;
  diagnostics.error(done.takeError());
  return Outcome::Failed;
}

int ampc::exitStatus(Outcome outcome) {
  switch (outcome) {
  case Outcome::Done:
    return 0;
  case Outcome::Failed:
    return 1;
  case Outcome::WrongUsage:
    return 2;
  }
  llvm_unreachable("all outcomes are handled");
}

Outcome ampc::compile(const Options &options, llvm::raw_ostream &messages) {
  return Compilation(options, messages).run();
}

Outcome ampc::tuneKernels(const Options &options, llvm::raw_ostream &messages) {
  return Compilation(options, messages).tune();
}
