//===- Export.cpp - Files that hold a compiled model ----------------------===//

#include "compiler/export/Export.h"

#include "compiler/export/DataObject.h"
#include "compiler/export/FillReserved.h"
#include "compiler/export/Linker.h"
#include "compiler/export/TemporaryFile.h"
#include "compiler/export/WeightBytes.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace ampc;

static Error exportLinked(
    StringRef destination, ObjectWriter code,
    function_ref<void(raw_ostream &)> writeWeightObject,
    function_ref<Error(const Linker &, ArrayRef<std::string>, StringRef)>
        link) {
  Expected<Linker> linker = Linker::find();
  if (!linker)
    return linker.takeError();
  TemporaryFile result, codeObject, weightObject;
  if (Error error = result.create(destination))
    return error;
  if (Error error = codeObject.create((destination + ".code").str()))
    return error;
  if (Error error = codeObject.fill(code))
    return error;
  SmallVector<std::string> objects{codeObject.path()};
  if (writeWeightObject) {
    if (Error error = weightObject.create((destination + ".weights").str()))
      return error;
    if (Error error = weightObject.fill([&](raw_pwrite_stream &stream) {
          writeWeightObject(stream);
          return Error::success();
        }))
      return error;
    objects.push_back(weightObject.path());
  }
  if (Error error = link(*linker, objects, result.path()))
    return createStringError("cannot write '%s': %s", destination.str().c_str(),
                             toString(std::move(error)).c_str());
  return result.keep();
}

Error ampc::exportShared(StringRef destination, ObjectWriter code,
                         const amp::WeightLayout *weights) {
  auto reserve = [&](raw_ostream &stream) {
    writeReservation(stream, weightsSymbol, weights->size());
  };
  auto link = [&](const Linker &linker, ArrayRef<std::string> objects,
                  StringRef output) {
    if (Error error = linker.linkShared(objects, output,
                                        sys::path::filename(destination)))
      return error;
    return weights ? fillReserved(output,
                                  [&](raw_ostream &stream) {
                                    writeWeights(*weights, stream);
                                  })
                   : Error::success();
  };
  if (weights && !weights->size())
    weights = nullptr;
  if (weights)
    return exportLinked(destination, code, reserve, link);
  return exportLinked(destination, code, nullptr, link);
}

Error ampc::exportRelocatable(StringRef destination, ObjectWriter code,
                              const amp::WeightLayout *weights,
                              StringRef prefix) {
  auto object = [&](raw_ostream &stream) {
    writeDataObject(
        stream, weightsSymbol, weights->size(),
        [&](raw_ostream &content) { writeWeights(*weights, content); });
  };
  auto link = [&](const Linker &linker, ArrayRef<std::string> objects,
                  StringRef output) {
    return linker.linkRelocatable(objects, prefix, output);
  };
  if (weights && weights->size())
    return exportLinked(destination, code, object, link);
  return exportLinked(destination, code, nullptr, link);
}

std::string ampc::identifier(StringRef name) {
  std::string result;
  for (char c : name)
    result += isAlnum(c) ? c : '_';
  if (result.empty() || isDigit(result.front()))
    result.insert(0, "model_");
  return result;
}

/// `text` inside a C comment.
static std::string comment(StringRef text) {
  std::string result;
  for (char c : text) {
    bool ends = c == '/' && !result.empty() && result.back() == '*';
    result += ends || (unsigned char)c < ' ' ? '?' : c;
  }
  return result;
}

Error ampc::exportHeader(StringRef destination, const Signature &signature,
                         StringRef prefix) {
  return writeFile(destination, [&](raw_pwrite_stream &stream) {
    std::string guard = StringRef((prefix + "_H").str()).upper();
    stream << "/* Model '" << comment(signature.name)
           << "', compiled by ampc.\n *\n";
    auto list = [&](StringRef title, const std::vector<TensorSignature> &all) {
      for (auto [i, tensor] : enumerate(all))
        stream << " * " << title << " " << i << "  "
               << comment(toString(tensor)) << "\n";
    };
    list("input ", signature.inputs);
    list("output", signature.outputs);
    stream << " *\n * Link with the object file of the same model; it needs "
              "libc and libm.\n */\n"
           << "#ifndef " << guard << "\n#define " << guard << "\n\n"
           << "#include \"ampc.h\"\n\n"
           << "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n"
           << "enum {\n  " << prefix
           << "_num_inputs = " << signature.inputs.size() << ",\n  " << prefix
           << "_num_outputs = " << signature.outputs.size() << "\n};\n\n"
           << "/** The model's functions; see ampc.h. */\n"
           << "const ampc_api_v1 *" << prefix << "_entry_v1(void);\n\n"
           << "#ifdef __cplusplus\n}\n#endif\n#endif /* " << guard << " */\n";
    return Error::success();
  });
}
