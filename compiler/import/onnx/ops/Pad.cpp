//===- Pad.cpp - Pad ------------------------------------------------------===//

#include "compiler/import/onnx/OpTable.h"
#include "compiler/import/onnx/ops/Axes.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using arith::CmpIPredicate;

namespace ampc::onnx_import {

static std::optional<amp::PadMode> modeOf(StringRef name) {
  return llvm::StringSwitch<std::optional<amp::PadMode>>(name)
      .Case("constant", amp::PadMode::Constant)
      .Case("edge", amp::PadMode::Edge)
      .Case("reflect", amp::PadMode::Reflect)
      .Case("wrap", amp::PadMode::Wrap)
      .Default(std::nullopt);
}

static LogicalResult buildPad(NodeBuilder &b) {
  ScalarBuilder &s = b.scalars;
  Tensor x = b.tensor(0);
  auto mode = modeOf(b.stringAttr("mode", "constant"));
  if (!mode)
    return b.fail("has mode '" + b.stringAttr("mode") +
                  "', which is not known");

  SmallVector<Scalar> pads, axes;
  Value value = b.scalarConstant(0, x.dtype);
  if (b.node.version < 11) {
    for (int64_t pad : b.node.intsAttr("pads").value_or(SmallVector<int64_t>()))
      pads.push_back(s.index(pad));
    value = b.scalarConstant(b.floatAttr("value", 0), x.dtype);
  } else {
    auto list = b.list(1);
    if (failed(list))
      return failure();
    pads = *list;
    if (b.has(2)) {
      auto fill = b.list(2);
      if (failed(fill))
        return failure();
      if (fill->size() != 1)
        return b.fail("has " + Twine(fill->size()) + " constant values");
      value = s.value(fill->front());
      if (isIndex(x.dtype))
        value = s.value(s.emit<arith::IndexCastOp>(x.elementType(), value));
    }
  }
  if (b.has(3)) {
    auto list = b.list(3);
    if (failed(list))
      return failure();
    axes = *list;
  } else {
    for (int64_t i = 0; i < x.rank(); ++i)
      axes.push_back(s.index(i));
  }
  SmallVector<int64_t> known;
  if (constantInts(axes, known) && failed(b.normalizeAxes(known, x.rank())))
    return failure();
  if (pads.size() != 2 * axes.size())
    return b.fail("has " + Twine(pads.size()) + " pads for " +
                  Twine(axes.size()) + " axes");

  SmallVector<Scalar> low(x.rank(), s.index(0)), high(x.rank(), s.index(0));
  for (int64_t i = 0; i < x.rank(); ++i)
    for (auto [k, axis] : llvm::enumerate(axes)) {
      Scalar here = isAxis(s, axis, i, x.rank());
      low[i] = s.select(here, pads[k], low[i]);
      high[i] = s.select(here, pads[axes.size() + k], high[i]);
    }
  for (int64_t i = 0; i < x.rank(); ++i) {
    // Negative pads crop, but not more than there is.
    Scalar size = s.add(s.add(x.dims[i], low[i]), high[i]);
    if (!isNonNegative(size) &&
        failed(b.require(s.compare(CmpIPredicate::sge, size, s.index(0)),
                         "crops more than there is in dimension " + Twine(i))))
      return failure();
  }
  Tensor result = b.padWith(x, value, low, high, *mode);
  if (*mode != amp::PadMode::Constant &&
      failed(b.requireReadable(x.dims, result.dims)))
    return failure();
  return b.output(0, result);
}

void registerPadOps(OpTable &t) { t.add("Pad", 2, 25, buildPad); }

} // namespace ampc::onnx_import
