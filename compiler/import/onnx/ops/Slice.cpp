//===- Slice.cpp - Slice, Split and Concat --------------------------------===//

#include "compiler/import/onnx/OpTable.h"
#include "compiler/import/onnx/ops/Axes.h"

using namespace mlir;
using arith::CmpIPredicate;

namespace ampc::onnx_import {

namespace {
/// What of one dimension is taken.
struct Range {
  Scalar start, end, step;
};
/// The same with bounds applied.
struct Taken {
  Scalar start, step, size;
};
} // namespace

/// Exporters write "to the end" as some large number. From this one on a
/// position is taken to lie past the end, which a check confirms.
constexpr int64_t kFar = 1'000'000'000;

/// Counts negative positions from the end and clamps to [low, high].
static Scalar clamp(ScalarBuilder &s, Scalar at, Scalar size, Scalar low,
                    Scalar high) {
  if (auto known = constantInt(at)) {
    bool isFar = (*known >= kFar || *known <= -kFar) && !constantInt(size);
    if (isFar)
      return *known > 0 ? high : low;
    if (*known < 0)
      at = s.add(size, at);
  } else if (!isNonNegative(at)) {
    at = s.select(s.compare(CmpIPredicate::slt, at, s.index(0)),
                  s.add(at, size), at);
  }
  return s.min(s.max(at, low), high);
}

/// A step that takes what `step` takes and does not overflow: one as long as
/// the dimension gets one element, like all that are longer.
static Scalar clampStep(ScalarBuilder &s, Scalar step, Scalar size) {
  if (auto known = constantInt(step); known && std::abs(*known) < kFar)
    return step;
  Scalar longest = s.max(size, s.index(1));
  return s.max(s.min(step, longest), s.sub(s.index(0), longest));
}

/// ONNX's rules for slices.
static Taken take(ScalarBuilder &s, Range range, Scalar size) {
  Scalar zero = s.index(0), one = s.index(1), minusOne = s.index(-1);
  range.step = clampStep(s, range.step, size);
  auto step = constantInt(range.step);
  auto forward = [&]() -> Taken {
    Scalar start = clamp(s, range.start, size, zero, size);
    Scalar end = clamp(s, range.end, size, zero, size);
    return {start, range.step,
            s.ceilDiv(s.max(s.sub(end, start), zero), range.step)};
  };
  auto backward = [&]() -> Taken {
    Scalar last = s.sub(size, one);
    // Position -1, before the first element, ends a slice that includes it. A
    // start before the front is moved to it, unlike numpy's, which is past all.
    Scalar start = clamp(s, range.start, size, zero, last);
    Scalar end = clamp(s, range.end, size, minusOne, last);
    Scalar stride = s.sub(zero, range.step);
    return {start, range.step,
            s.ceilDiv(s.max(s.sub(start, end), zero), stride)};
  };
  if (step)
    return *step > 0 ? forward() : backward();
  // The sign shows at run time; divisors must not be zero in either branch.
  Scalar isForward = s.compare(CmpIPredicate::sgt, range.step, zero);
  Scalar isZero = s.compare(CmpIPredicate::eq, range.step, zero);
  range.step = s.select(isZero, one, range.step);
  Taken up = forward(), down = backward();
  return {s.select(isForward, up.start, down.start), range.step,
          s.select(isForward, up.size, down.size)};
}

/// The list in an input or, in opset 1, an attribute; nothing if left out.
static FailureOr<std::optional<SmallVector<Scalar>>>
listOf(NodeBuilder &b, unsigned input, StringRef attribute) {
  std::optional<SmallVector<Scalar>> result;
  if (b.node.version < 10) {
    if (auto ints = b.node.intsAttr(attribute))
      result = llvm::map_to_vector(
          *ints, [&](int64_t value) { return b.scalars.index(value); });
    return result;
  }
  if (!b.has(input))
    return result;
  auto list = b.list(input);
  if (failed(list))
    return failure();
  result = *list;
  return result;
}

static LogicalResult buildSlice(NodeBuilder &b) {
  ScalarBuilder &s = b.scalars;
  auto starts = listOf(b, 1, "starts"), ends = listOf(b, 2, "ends"),
       axes = listOf(b, 3, "axes"), steps = listOf(b, 4, "steps");
  if (failed(starts) || failed(ends) || failed(axes) || failed(steps))
    return failure();
  if (!*starts || !*ends)
    return b.fail("has no starts or ends");
  size_t count = (*starts)->size();
  if ((*ends)->size() != count || (*axes && (*axes)->size() != count) ||
      (*steps && (*steps)->size() != count))
    return b.fail("has lists of different lengths");
  SmallVector<int64_t> knownAxes;
  if (*axes && constantInts(**axes, knownAxes) &&
      failed(b.normalizeAxes(knownAxes, b.rank(0))))
    return failure();
  if (count > b.dims(0).size())
    return b.fail("has more starts than the tensor has dimensions");
  for (size_t k = 0; *steps && k < count; ++k)
    if (constantInt((**steps)[k]) == 0)
      return b.fail("has a step of zero");

  SmallVector<Scalar> taken, strides;
  Dims dims;
  for (auto [i, size] : llvm::enumerate(b.dims(0))) {
    Range range{s.index(0), size, s.index(1)};
    bool whole = true;
    for (size_t k = 0; k < count; ++k) {
      Scalar axis = *axes ? (**axes)[k] : s.index(k);
      Scalar here = isAxis(s, axis, i, b.rank(0));
      if (constantInt(here) == 0)
        continue;
      whole = false;
      range.start = s.select(here, (**starts)[k], range.start);
      range.end = s.select(here, (**ends)[k], range.end);
      if (*steps)
        range.step = s.select(here, (**steps)[k], range.step);
    }
    Taken part =
        whole ? Taken{range.start, range.step, size} : take(s, range, size);
    taken.push_back(part.start);
    strides.push_back(part.step);
    dims.push_back(part.size);
  }
  NamedValue &x = b.input(0);
  SmallVector<int64_t> numbers;
  if (x.scalars && dims.size() == 1 &&
      constantInts({taken[0], strides[0], dims[0]}, numbers)) {
    SmallVector<Scalar> list;
    for (int64_t i = 0; i < numbers[2]; ++i)
      list.push_back((*x.scalars)[numbers[0] + i * numbers[1]]);
    return b.outputList(0, x.dtype, 1, std::move(list));
  }
  return b.output(0, b.slice(b.tensor(0), taken, strides, dims));
}

static LogicalResult buildSplit(NodeBuilder &b) {
  ScalarBuilder &s = b.scalars;
  auto axis = b.axisAttr("axis", b.rank(0));
  if (failed(axis))
    return failure();
  Scalar total = b.dims(0)[*axis];
  SmallVector<Scalar> sizes;
  bool isGiven = true;
  if (b.node.version < 13 && b.node.hasAttr("split")) {
    auto given = *b.node.intsAttr("split");
    for (int64_t size : given)
      sizes.push_back(s.index(size));
  } else if (b.node.version >= 13 && b.has(1)) {
    auto list = b.list(1);
    if (failed(list))
      return failure();
    sizes = *list;
  } else {
    // Equal parts; from opset 18 on the last ones may be smaller.
    int64_t parts = b.numOutputs();
    if (int64_t given = b.intAttr("num_outputs", parts); given != parts)
      return b.fail("has num_outputs " + Twine(given) + " and " + Twine(parts) +
                    " outputs");
    bool equal = b.node.version < 18;
    Scalar part =
        equal ? s.div(total, s.index(parts)) : s.ceilDiv(total, s.index(parts));
    if (equal && failed(b.requireEqual(s.mul(part, s.index(parts)), total,
                                       "is no whole number of equal parts")))
      return failure();
    for (int64_t i = 0; i < parts; ++i) {
      Scalar rest = s.sub(total, s.mul(part, s.index(i)));
      sizes.push_back(equal ? part : s.min(part, s.max(rest, s.index(0))));
    }
    isGiven = false;
  }
  if (sizes.size() != b.numOutputs())
    return b.fail("has " + Twine(sizes.size()) + " sizes for " +
                  Twine(b.numOutputs()) + " outputs");
  Scalar sum = s.index(0);
  for (Scalar size : sizes) {
    if (constantInt(size) && *constantInt(size) < 0)
      return b.fail("has a part of negative size");
    sum = s.add(sum, size);
  }
  if (isGiven && failed(b.requireEqual(sum, total,
                                       "the sizes of the parts do not add up")))
    return failure();
  NamedValue &value = b.input(0);
  SmallVector<int64_t> known;
  if (value.scalars && constantInts(sizes, known)) {
    auto rest = ArrayRef(*value.scalars);
    for (auto [i, size] : llvm::enumerate(known)) {
      (void)b.outputList(i, value.dtype, 1,
                         SmallVector<Scalar>(rest.take_front(size)));
      rest = rest.drop_front(size);
    }
    return success();
  }
  Tensor x = b.tensor(0);
  Scalar start = s.index(0);
  for (auto [i, size] : llvm::enumerate(sizes)) {
    if (b.wants(i))
      (void)b.output(i, b.sliceAxis(x, *axis, start, size));
    start = s.add(start, size);
  }
  return success();
}

static LogicalResult buildConcat(NodeBuilder &b) {
  auto axis = b.axisAttr("axis", b.rank(0));
  if (failed(axis))
    return failure();
  if (b.rank(0) == 1 && b.onScalars()) {
    SmallVector<Scalar> all;
    for (unsigned i = 0; i < b.numInputs(); ++i) {
      auto list = b.list(i);
      if (failed(list))
        return failure();
      all.append(*list);
    }
    if (all.size() <= NamedValue::kMaxScalars)
      return b.outputList(0, b.dtype(0), 1, std::move(all));
  }
  SmallVector<Tensor> parts = b.tensors();
  // Sizes that some operand knows hold for all.
  Dims dims = parts.front().dims;
  for (const Tensor &part : parts)
    for (int64_t i = 0; i < part.rank(); ++i) {
      if (i == *axis)
        continue;
      if (part.rank() != b.rank(0) ||
          failed(b.requireEqual(dims[i], part.dims[i],
                                "inputs differ in dimension " + Twine(i))))
        return failure();
      if (constantInt(part.dims[i]))
        dims[i] = part.dims[i];
    }
  dims[*axis] = parts.front().dims[*axis];
  parts.front().dims = dims;
  return b.output(0, b.concat(parts, *axis));
}

void registerSliceOps(OpTable &t) {
  t.add("Slice", 1, 13, buildSlice);
  t.add("Split", 2, 18, buildSplit);
  t.add("Concat", 4, 13, buildConcat);
}

} // namespace ampc::onnx_import
