//===- Import.cpp - ONNX model to IR --------------------------------------===//

#include "compiler/import/onnx/Import.h"

#include "compiler/import/onnx/Check.h"
#include "compiler/import/onnx/Importer.h"
#include "compiler/import/onnx/Model.h"
#include "compiler/import/onnx/OpTable.h"
#include "compiler/ir/Amp.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"

#include <onnx/onnx_pb.h>

using namespace mlir;
using namespace ampc::onnx_import;

static void setModelAttributes(ModuleOp module, const onnx::ModelProto &model,
                               StringRef path) {
  Builder builder(module.getContext());
  std::string name = model.graph().name();
  if (name.empty())
    name = path.rsplit('/').second.empty() ? path.str()
                                           : path.rsplit('/').second.str();
  module->setAttr("amp.model_name", builder.getStringAttr(name));
  SmallVector<NamedAttribute> opsets;
  for (const auto &import : model.opset_import())
    opsets.push_back(builder.getNamedAttr(
        import.domain().empty() ? "ai.onnx" : import.domain(),
        builder.getI64IntegerAttr(import.version())));
  module->setAttr("amp.opsets",
                  DictionaryAttr::get(module.getContext(), opsets));
}

/// The first of what may be a line for each node of a large model; all if
/// somebody sorts them.
static void report(ArrayRef<std::string> lines, bool all, Location loc) {
  size_t most = all ? lines.size() : 50;
  for (const std::string &line : lines.take_front(most))
    emitError(loc) << line;
  if (lines.size() > most)
    emitError(loc) << "and " << lines.size() - most << " errors more";
}

OwningOpRef<ModuleOp> ampc::importOnnx(StringRef path,
                                       const ImportOptions &options,
                                       MLIRContext &context) {
  context
      .loadDialect<::amp::AmpDialect, arith::ArithDialect,
                   bufferization::BufferizationDialect, func::FuncDialect,
                   math::MathDialect, scf::SCFDialect, tensor::TensorDialect>();
  Location unknown = UnknownLoc::get(&context);
  // The checker needs its schemas.
  OpTable::get();
  std::string problem;
  std::unique_ptr<onnx::ModelProto> model = loadModel(path, problem);
  if (!model) {
    emitError(unknown) << problem;
    return nullptr;
  }
  std::vector<std::string> problems =
      checkModel(*model, Limits{options.maxNodes}, modelDirectory(path));
  report(problems, options.record, unknown);
  if (!problems.empty())
    return nullptr;

  Location loc = NameLoc::get(StringAttr::get(&context, path));
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  setModelAttributes(*module, *model, path);
  auto builder = OpBuilder::atBlockEnd(module->getBody());
  auto function = builder.create<func::FuncOp>(loc, "main",
                                               builder.getFunctionType({}, {}));
  function.addEntryBlock();

  SmallVector<std::string> errors =
      Importer(*model, modelDirectory(path), function).run(options);
  report(errors, options.record, unknown);
  if (!errors.empty())
    return nullptr;
  if (failed(verify(*module))) {
    emitError(unknown) << "internal error: the imported module is not valid";
    return nullptr;
  }
  return module;
}
