//===- ModelInfo.cpp - What a compiled model says of itself ---------------===//

#include "compiler/export/ModelInfo.h"

#include "compiler/export/ModelDescription.h"

#include "llvm/Object/ObjectFile.h"

using namespace llvm;
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

void ampc::printModelInfo(const llvm::json::Value &value,
                          llvm::raw_ostream &stream) {
  const llvm::json::Object *object = value.getAsObject();
  if (!object)
    return;
  const llvm::json::Object &info = *object;
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
  if (info.getBoolean("profile").value_or(false))
    stream << "profile  times of kernels are recorded\n";
  if (auto bytes = info.getInteger("weights_bytes")) {
    stream << "weights  " << *bytes << " bytes";
    if (auto file = info.getString("weights_file"))
      stream << " in " << *file;
    stream << "\n";
  }
  if (auto compiler = info.getString("compiler"))
    stream << "compiler " << *compiler << "\n";
}

Expected<json::Value> ampc::readModelInfo(MemoryBufferRef buffer) {
  auto file = object::ObjectFile::createELFObjectFile(buffer);
  if (!file)
    return file.takeError();
  for (const object::SectionRef &section : (*file)->sections()) {
    Expected<StringRef> name = section.getName();
    if (!name) {
      consumeError(name.takeError());
      continue;
    }
    if (*name != infoSection)
      continue;
    Expected<StringRef> content = section.getContents();
    if (!content)
      return content.takeError();
    return json::parse(content->take_until([](char c) { return !c; }));
  }
  return createStringError("it is no model that ampc compiled");
}
