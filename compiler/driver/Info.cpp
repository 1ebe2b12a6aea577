//===- Info.cpp - What a model file holds ---------------------------------===//

#include "compiler/driver/Info.h"

#include "compiler/driver/Diagnostics.h"
#include "compiler/driver/Registration.h"
#include "compiler/export/ModelDescription.h"
#include "compiler/import/onnx/Import.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/BinaryFormat/Magic.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace ampc;

static void print(const llvm::json::Value &value, llvm::raw_ostream &stream) {
  if (auto text = value.getAsString())
    stream << *text;
  else if (value.getAsNull())
    stream << "?";
  else
    stream << value;
}

static void printTensors(const llvm::json::Object &info, StringRef key,
                         StringRef title, llvm::raw_ostream &stream) {
  const llvm::json::Array *tensors = info.getArray(key);
  if (!tensors)
    return;
  for (const llvm::json::Value &value : *tensors) {
    const llvm::json::Object *tensor = value.getAsObject();
    if (!tensor)
      continue;
    stream << title << " " << tensor->getString("name").value_or("?") << ": "
           << tensor->getString("dtype").value_or("?") << "[";
    if (const llvm::json::Array *shape = tensor->getArray("shape"))
      llvm::interleave(
          *shape, stream,
          [&](const llvm::json::Value &size) { print(size, stream); }, ",");
    stream << "]\n";
  }
}

/// Prints what Signature::toJson and the driver put into a model's info.
static void printJson(const llvm::json::Object &info,
                      llvm::raw_ostream &stream) {
  stream << "model    " << info.getString("name").value_or("?") << "\n";
  printTensors(info, "inputs", "input   ", stream);
  printTensors(info, "outputs", "output  ", stream);
  if (auto target = info.getString("target"))
    stream << "target   " << *target << "\n";
  if (const llvm::json::Array *features = info.getArray("cpu_features")) {
    stream << "needs    ";
    llvm::interleave(
        *features, stream,
        [&](const llvm::json::Value &feature) { print(feature, stream); }, " ");
    stream << "\n";
  }
  if (auto precision = info.getString("precision"))
    stream << "computes " << *precision << "\n";
  if (auto bytes = info.getInteger("weights_bytes")) {
    stream << "weights  " << *bytes << " bytes";
    if (auto file = info.getString("weights_file"))
      stream << " in " << *file;
    stream << "\n";
  }
  if (auto compiler = info.getString("compiler"))
    stream << "compiler " << *compiler << "\n";
}

/// The info JSON of a compiled model, from its section.
static llvm::Expected<llvm::json::Value> readInfo(StringRef path) {
  auto file = llvm::object::ObjectFile::createObjectFile(path);
  if (!file)
    return file.takeError();
  for (const llvm::object::SectionRef &section :
       file->getBinary()->sections()) {
    llvm::Expected<StringRef> name = section.getName();
    if (!name) {
      llvm::consumeError(name.takeError());
      continue;
    }
    if (*name != infoSection)
      continue;
    llvm::Expected<StringRef> content = section.getContents();
    if (!content)
      return content.takeError();
    return llvm::json::parse(content->take_until([](char c) { return !c; }));
  }
  return llvm::createStringError("it is no model that ampc compiled");
}

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

  llvm::file_magic magic;
  if (std::error_code code = llvm::identify_magic(path, magic)) {
    diagnostics.error("cannot read '" + path + "': " + code.message());
    return false;
  }
  if (magic == llvm::file_magic::elf_shared_object ||
      magic == llvm::file_magic::elf_relocatable) {
    llvm::Expected<llvm::json::Value> info = readInfo(path);
    if (!info) {
      diagnostics.error("'" + path + "': " + llvm::toString(info.takeError()));
      return false;
    }
    if (const llvm::json::Object *object = info->getAsObject())
      printJson(*object, stream);
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
  printJson(readSignature(main, name).toJson(), stream);
  return true;
}
