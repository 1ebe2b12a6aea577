//===- Info.cpp - What a model file holds ---------------------------------===//

#include "compiler/driver/Info.h"

#include "compiler/driver/Diagnostics.h"
#include "compiler/driver/Files.h"
#include "compiler/driver/Registration.h"
#include "compiler/export/ModelInfo.h"
#include "compiler/export/Signature.h"
#include "compiler/import/onnx/Import.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/BinaryFormat/Magic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace ampc;

static OwningOpRef<ModuleOp> readModel(StringRef path, MLIRContext &context) {
  if (llvm::sys::path::extension(path) == ".mlir")
    return parseSourceFile<ModuleOp>(path, ParserConfig(&context));
  return importOnnx(path, ImportOptions(), context);
}

bool ampc::printInfo(StringRef path, llvm::raw_ostream &stream,
                     llvm::raw_ostream &messages) {
  DialectRegistry registry;
  registerDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  Diagnostics diagnostics(context, path, messages);

  if (llvm::Error error = checkInputFile(path)) {
    diagnostics.error(std::move(error));
    return false;
  }
  llvm::file_magic magic;
  if (std::error_code code = llvm::identify_magic(path, magic)) {
    diagnostics.error("cannot read '" + path + "': " + code.message());
    return false;
  }
  if (magic == llvm::file_magic::elf_shared_object ||
      magic == llvm::file_magic::elf_relocatable) {
    auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
    if (!file) {
      diagnostics.error("cannot read '" + path +
                        "': " + file.getError().message());
      return false;
    }
    llvm::Expected<llvm::json::Value> info =
        readModelInfo((*file)->getMemBufferRef());
    if (!info) {
      diagnostics.error("'" + path + "': " + llvm::toString(info.takeError()));
      return false;
    }
    printModelInfo(*info, stream);
    return true;
  }
  OwningOpRef<ModuleOp> module = readModel(path, context);
  auto main =
      module ? module->lookupSymbol<func::FuncOp>("main") : func::FuncOp();
  if (!main) {
    if (!diagnostics.errors())
      diagnostics.error("'" + path + "': no model that ampc can read");
    return false;
  }
  StringRef name = llvm::sys::path::stem(path);
  if (auto given = (*module)->getAttrOfType<StringAttr>("amp.model_name");
      given && !given.empty())
    name = given;
  printModelInfo(readSignature(main, name).toJson(), stream);
  return true;
}
