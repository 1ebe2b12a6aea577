//===- Processor.cpp - The machine that code is generated for -------------===//

#include "compiler/target/cpu/Processor.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"

using namespace ampc::cpu;

/// Instruction sets that code may use; runtime/CpuFeaturesX86.cpp tests for
/// each of them.
static const char *const usable[] = {"sse3",
                                     "ssse3",
                                     "sse4.1",
                                     "sse4.2",
                                     "popcnt",
                                     "avx",
                                     "avx2",
                                     "fma",
                                     "f16c",
                                     "bmi",
                                     "bmi2",
                                     "lzcnt",
                                     "movbe",
                                     "avx512f",
                                     "avx512bw",
                                     "avx512cd",
                                     "avx512dq",
                                     "avx512vl",
                                     "avx512vnni",
                                     "avx512bf16",
                                     "avx512fp16",
                                     "avx512vbmi",
                                     "avx512vbmi2",
                                     "avx512bitalg",
                                     "avx512vpopcntdq",
                                     "evex512",
                                     "avxvnni",
                                     "amx-tile",
                                     "amx-bf16"};

/// What every generated kernel takes for granted (x86-64-v3).
static const char *const needed[] = {"avx2", "fma", "f16c", "bmi2"};

static const llvm::Target &x86Target(const std::string &triple) {
  static bool initialized = [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    return true;
  }();
  (void)initialized;
  std::string error;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    llvm::report_fatal_error("LLVM was built without its X86 target");
  return *target;
}

static std::string hostTriple() { return "x86_64-unknown-linux-gnu"; }

static std::unique_ptr<llvm::MCSubtargetInfo>
subtarget(llvm::StringRef cpu, llvm::StringRef features) {
  std::string triple = hostTriple();
  return std::unique_ptr<llvm::MCSubtargetInfo>(
      x86Target(triple).createMCSubtargetInfo(triple, cpu, features));
}

/// Sets the usable features of `processor` from LLVM's tables.
static void takeFeatures(Processor &processor, llvm::StringRef extra) {
  auto info = subtarget(processor.name, extra);
  for (const char *feature : usable)
    if (info->checkFeatures(std::string("+") + feature))
      processor.features.push_back(feature);
  llvm::sort(processor.features);
}

/// The first of `needed` that `processor` lacks, or null.
static const char *missing(const Processor &processor) {
  for (const char *feature : needed)
    if (!processor.has(feature))
      return feature;
  return nullptr;
}

std::string Processor::featureList() const { return llvm::join(features, ","); }

bool Processor::has(llvm::StringRef feature) const {
  return llvm::is_contained(features, feature);
}

void Processor::dropTiles() {
  llvm::erase_if(features, [](llvm::StringRef feature) {
    return feature.starts_with("amx-");
  });
}

CpuTarget Processor::kernelTarget() const {
  CpuTarget target =
      CpuTarget::withVectorBytes(has("avx512vl") && has("avx512bw") ? 64 : 32);
  target.hasTiles =
      target.vectorBytes == 64 && has("amx-tile") && has("amx-bf16");
  return target;
}

std::vector<std::string> ampc::cpu::knownProcessors() {
  std::vector<std::string> names{"native"};
  auto info = subtarget("x86-64", "");
  for (const llvm::SubtargetSubTypeKV &cpu :
       info->getAllProcessorDescriptions()) {
    Processor processor{hostTriple(), cpu.Key, {}};
    takeFeatures(processor, "");
    if (!missing(processor))
      names.push_back(cpu.Key);
  }
  return names;
}

llvm::Expected<Processor> ampc::cpu::findProcessor(llvm::StringRef name) {
  Processor processor{hostTriple(), name.str(), {}};
  std::string extra;
  if (name == "native") {
    // What the machine reports counts, not what its model usually has: virtual
    // machines hide instruction sets.
    processor.name = llvm::sys::getHostCPUName().str();
    if (processor.name.empty() || processor.name == "generic")
      processor.name = "x86-64";
    llvm::StringMap<bool> host = llvm::sys::getHostCPUFeatures();
    std::vector<std::string> flags;
    for (const char *feature : usable) {
      bool has = llvm::StringRef(feature) == "evex512"
                     ? host.lookup("avx512f") // No bit of its own before AVX10.
                     : host.lookup(feature);
      flags.push_back((has ? "+" : "-") + std::string(feature));
    }
    extra = llvm::join(flags, ",");
  } else {
    auto info = subtarget("x86-64", "");
    if (!info->isCPUStringValid(name))
      return llvm::createStringError(
          "unknown --target '%s'; known are %s", name.str().c_str(),
          llvm::join(knownProcessors(), ", ").c_str());
  }
  takeFeatures(processor, extra);
  if (const char *feature = missing(processor))
    return llvm::createStringError(
        "--target '%s' (%s) lacks %s: ampc generates code for x86-64-v3 "
        "processors and newer",
        name.str().c_str(), processor.name.c_str(), feature);
  return processor;
}

std::unique_ptr<llvm::TargetMachine>
ampc::cpu::createTargetMachine(const Processor &processor) {
  llvm::TargetOptions options;
  // a * b + c is two roundings unless the IR says fma.
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  std::string features;
  for (const std::string &feature : processor.features)
    features += (features.empty() ? "+" : ",+") + feature;
  return std::unique_ptr<llvm::TargetMachine>(
      x86Target(processor.triple)
          .createTargetMachine(processor.triple, "x86-64", features, options,
                               llvm::Reloc::PIC_, llvm::CodeModel::Small,
                               llvm::CodeGenOptLevel::Aggressive));
}
