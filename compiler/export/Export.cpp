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

/// `weights` may be null; the others are asked only where there are weights.
static Error exportLinked(
    StringRef destination, ObjectWriter code, const amp::WeightLayout *weights,
    function_ref<void(raw_ostream &)> writeWeightObject,
    function_ref<Error(const Linker &, ArrayRef<std::string>, StringRef)> link,
    function_ref<Error(StringRef)> complete) {
  const bool hasWeights = weights && weights->size();
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
  if (hasWeights) {
    if (Error error = weightObject.create((destination + ".weights").str()))
      return error;
    if (Error error = weightObject.fill([&](raw_pwrite_stream &stream) {
          writeWeightObject(stream);
          return Error::success();
        }))
      return error;
    objects.push_back(weightObject.path());
  }
  Error error = link(*linker, objects, result.path());
  if (!error && hasWeights)
    error = complete(result.path());
  if (error)
    return createStringError("cannot write '%s': %s", destination.str().c_str(),
                             toString(std::move(error)).c_str());
  return result.keep();
}

Error ampc::exportShared(StringRef destination, ObjectWriter code,
                         const amp::WeightLayout *weights) {
  return exportLinked(
      destination, code, weights,
      [&](raw_ostream &stream) {
        writeReservation(stream, weightsSymbol, weights->size());
      },
      [&](const Linker &linker, ArrayRef<std::string> objects,
          StringRef output) {
        return linker.linkShared(objects, output,
                                 sys::path::filename(destination));
      },
      [&](StringRef output) {
        return fillReserved(output, [&](raw_ostream &stream) {
          writeWeights(*weights, stream);
        });
      });
}

Error ampc::exportRelocatable(StringRef destination, ObjectWriter code,
                              const amp::WeightLayout *weights,
                              StringRef prefix) {
  return exportLinked(
      destination, code, weights,
      [&](raw_ostream &stream) {
        writeDataObject(
            stream, weightsSymbol, weights->size(),
            [&](raw_ostream &content) { writeWeights(*weights, content); });
      },
      [&](const Linker &linker, ArrayRef<std::string> objects,
          StringRef output) {
        return linker.linkRelocatable(objects, prefix, output);
      },
      [](StringRef) { return Error::success(); });
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
                         StringRef prefix, bool profile) {
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
           << "const ampc_api_v1 *" << prefix << "_entry_v1(void);\n\n";
    if (profile)
      stream << "/** The times of its kernels; see ampc.h. */\n"
             << "extern const ampc_profile " << prefix << "_profile_v1;\n\n";
    stream << "#ifdef __cplusplus\n}\n#endif\n#endif /* " << guard << " */\n";
    return Error::success();
  });
}
