//===- AttentionEmitter.cpp - Attention -----------------------------------===//
//
// An iteration of the parallel loop does a tile of queries of one head, against
// all its keys. Threads share nothing, and no result depends on the number of
// queries in a tile.
//
//===----------------------------------------------------------------------===//

#include "compiler/target/cpu/AttentionTile.h"
#include "compiler/target/cpu/BufferAccess.h"
#include "compiler/target/cpu/Emitters.h"
#include "compiler/target/cpu/GemmClient.h"
#include "compiler/target/cpu/Loops.h"
#include "compiler/target/cpu/RegisterTranspose.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace ampc::cpu {

namespace {

/// The strides of an operand of rank 4, or of what broadcasts to it.
using Strides = SmallVector<OpFoldResult>;

/// An attention, and where its heads lie.
struct AttentionLoops {
  Attention tile;
  OpFoldResult batch, heads;
  OpFoldResult group; ///< Heads that share keys and values.
  struct Head {
    OpFoldResult batchStride, headStride;
  } query, key, value, mask;

  OpFoldResult offset(IndexBuilder &ix, const Head &head, Value batchIndex,
                      OpFoldResult headIndex) const {
    return ix.add(ix.mul(OpFoldResult(batchIndex), head.batchStride),
                  ix.mul(headIndex, head.headStride));
  }
};

FailureOr<AttentionLoops> describe(amp::AttentionOp op, KernelValues &values) {
  if (!op.fitsKernel())
    return op.emitOpError("has heads whose size is not known or large, or an "
                          "algorithm (run amp-decompose-ops)");
  AttentionLoops loops;
  Attention &x = loops.tile;
  IndexBuilder ix(values.site(), op.getLoc());
  const int64_t head = op.getHeadDim(), position = op.getPositionDim();
  auto dims = [&](Value operand) { return values.dims(operand); };
  x.d = cast<RankedTensorType>(op.getQuery().getType()).getDimSize(3);
  x.e = cast<RankedTensorType>(op.getValue().getType()).getDimSize(3);
  x.scale = op.getScale().convertToFloat();
  x.causal = op.getCausal();
  SmallVector<OpFoldResult> query = dims(op.getQuery()),
                            key = dims(op.getKey());
  loops.batch = query[0];
  loops.heads = query[head];
  x.queryCount = query[position];
  x.keyCount = key[position];
  // Where there are no heads nothing is asked for, but divided all the same.
  loops.group = ix.div(loops.heads, ix.max(key[head], ix.constant(1)));
  auto read = [&](Value operand, AttentionMatrix &matrix,
                  AttentionLoops::Head &place) {
    Value buffer = contractionBuffer(values, op, operand);
    if (!buffer)
      return failure();
    matrix = {values.flat(buffer), values.stride(buffer, position),
              values.stride(buffer, 3)};
    place = {values.stride(buffer, 0), values.stride(buffer, head)};
    return success();
  };
  if (failed(read(op.getQuery(), x.query, loops.query)) ||
      failed(read(op.getKey(), x.key, loops.key)) ||
      failed(read(op.getValue(), x.value, loops.value)))
    return failure();
  if (Value mask = op.getMask()) {
    Value buffer = contractionBuffer(values, op, mask);
    if (!buffer)
      return failure();
    auto type = cast<RankedTensorType>(mask.getType());
    // Aligned at the right, repeated where the size is 1.
    auto stride = [&](int64_t dim) -> OpFoldResult {
      int64_t own = dim - (4 - type.getRank());
      return own < 0 || type.getDimSize(own) == 1 ? ix.constant(0)
                                                  : values.stride(buffer, own);
    };
    x.mask = {values.flat(buffer), stride(2), stride(3)};
    x.oneMaskRow = IndexBuilder::isConstant(x.mask.rowStride, 0);
    loops.mask = {stride(0), stride(1)};
  }
  return loops;
}

/// Stores what a tile has in scratch, element by element rows of queries, as
/// rows of elements: squares are turned in registers.
class ResultStore {
public:
  ResultStore(KernelEmission &emission, amp::AttentionOp op,
              const Attention &attention, Value results, int64_t vectors)
      : emission(emission), op(op), attention(attention), results(results),
        b(emission.builder), loc(emission.loc()), ix(b, loc),
        lanes(emission.target.lanes(32)), vectors(vectors) {}

  LogicalResult emit(Value batch, Value head, Value firstQuery);

private:
  LogicalResult square(Value batch, Value head, Value firstQuery,
                       OpFoldResult vector, OpFoldResult element,
                       int64_t elements);

  KernelEmission &emission;
  amp::AttentionOp op;
  const Attention &attention;
  Value results;
  OpBuilder &b;
  Location loc;
  IndexBuilder ix;
  int64_t lanes, vectors;
};

/// The elements from `element` on of a vector of queries; `elements` there are.
LogicalResult ResultStore::square(Value batch, Value head, Value firstQuery,
                                  OpFoldResult vector, OpFoldResult element,
                                  int64_t elements) {
  SmallVector<Value> rows;
  for (int64_t i = 0; i < lanes; ++i) {
    OpFoldResult row = ix.add(element, ix.constant(std::min(i, elements - 1)));
    Value at = ix.value(ix.add(ix.mul(row, ix.constant(vectors * lanes)),
                               ix.mul(vector, ix.constant(lanes))));
    rows.push_back(loadElements(b, loc, results, at, b.getF32Type(), lanes));
  }
  Value mask;
  if (elements < lanes)
    mask = firstLanes(b, loc, ix.value(ix.constant(elements)), lanes);
  OpFoldResult query =
      ix.add(OpFoldResult(firstQuery), ix.mul(vector, ix.constant(lanes)));
  for (auto [lane, row] : llvm::enumerate(transposeInRegisters(b, loc, rows))) {
    OpFoldResult own = ix.add(query, ix.constant(lane));
    OpBuilder::InsertionGuard guard(b);
    auto exists = b.create<scf::IfOp>(
        loc, ix.compare(arith::CmpIPredicate::slt, own, attention.queryCount),
        /*withElseRegion=*/false);
    b.setInsertionPointToStart(exists.thenBlock());
    SmallVector<Value> indices{batch, head, ix.value(own), ix.value(element)};
    if (op.getHeadsInner())
      std::swap(indices[1], indices[2]);
    if (failed(storeSum(emission, op.getResult(), indices, row, lanes, mask)))
      return failure();
  }
  return success();
}

LogicalResult ResultStore::emit(Value batch, Value head, Value firstQuery) {
  const int64_t whole = attention.e / lanes * lanes;
  return emitLoop(
      b, loc, ix.constant(0), ix.constant(vectors), 1, [&](Value vector) {
        auto squareAt = [&](OpFoldResult element, int64_t elements) {
          return square(batch, head, firstQuery, OpFoldResult(vector), element,
                        elements);
        };
        if (failed(emitLoop(b, loc, ix.constant(0), ix.constant(whole), lanes,
                            [&](Value element) {
                              return squareAt(OpFoldResult(element), lanes);
                            })))
          return failure();
        return whole < attention.e
                   ? squareAt(ix.constant(whole), attention.e - whole)
                   : success();
      });
}

struct AttentionEmitter
    : CpuKernelEmitterInterface::ExternalModel<AttentionEmitter,
                                               amp::AttentionOp> {
  static int64_t tileQueries(const CpuTarget &target) {
    return kMostQueryVectors * target.lanes(32);
  }

  ParallelRange getParallelRange(Operation *op, KernelValues &values,
                                 const CpuTarget &target) const {
    auto loops = describe(cast<amp::AttentionOp>(op), values);
    const Attention &x = loops->tile;
    IndexBuilder ix(values.site(), op->getLoc());
    const int64_t queries = tileQueries(target);
    OpFoldResult count = ix.product(
        {loops->batch, loops->heads, ix.ceilDiv(x.queryCount, queries)});
    // An exponential is some twenty operations.
    double cost =
        kMostQueryVectors * guessedSize(x.keyCount) * double(x.d + x.e + 24);
    return {ix.value(count), grainFor(cost)};
  }

  LogicalResult emitKernel(Operation *root, KernelEmission &emission) const {
    auto op = cast<amp::AttentionOp>(root);
    auto loops = describe(op, emission.values);
    if (failed(loops))
      return failure();
    const Attention &x = loops->tile;
    const CpuTarget &target = emission.target;
    OpBuilder &b = emission.builder;
    Location loc = emission.loc();
    IndexBuilder ix(b, loc), site(emission.values.site(), loc);
    const int64_t queries = tileQueries(target), lanes = target.lanes(32);
    AttentionScratch scratch(x, queries, b, loc);
    OpFoldResult tiles = site.ceilDiv(x.queryCount, queries);
    return emitLoop(b, loc, emission.lo, emission.hi, 1, [&](Value item) {
      SmallVector<Value> at = ix.delinearize(
          OpFoldResult(item), {loops->batch, loops->heads, tiles});
      Value first = ix.value(ix.mul(OpFoldResult(at[2]), ix.constant(queries)));
      OpFoldResult head = at[1], shared = ix.div(head, loops->group);
      AttentionOffsets offsets{loops->offset(ix, loops->query, at[0], head),
                               loops->offset(ix, loops->key, at[0], shared),
                               loops->offset(ix, loops->value, at[0], shared),
                               OpFoldResult()};
      if (x.mask.buffer)
        offsets.mask = loops->offset(ix, loops->mask, at[0], head);
      OpFoldResult left = ix.sub(x.queryCount, OpFoldResult(first));
      // Few queries take fewer vectors.
      for (int64_t vectors = 1; vectors <= kMostQueryVectors; ++vectors) {
        if (!canOccur(x, vectors, lanes))
          continue;
        OpBuilder::InsertionGuard guard(b);
        OpFoldResult needed =
            ix.min(ix.ceilDiv(left, lanes), ix.constant(kMostQueryVectors));
        auto choice = b.create<scf::IfOp>(
            loc,
            ix.compare(arith::CmpIPredicate::eq, needed, ix.constant(vectors)),
            /*withElseRegion=*/false);
        b.setInsertionPointToStart(choice.thenBlock());
        emitAttentionTile(b, loc, x, scratch, offsets, first, vectors, target);
        if (failed(ResultStore(emission, op, x, scratch.results, vectors)
                       .emit(at[0], at[1], first)))
          return failure();
      }
      return success();
    });
  }

private:
  /// Whether some tile has so many vectors of queries.
  static bool canOccur(const Attention &x, int64_t vectors, int64_t lanes) {
    auto queries = IndexBuilder::known(x.queryCount);
    if (!queries)
      return true;
    int64_t all = llvm::divideCeil(*queries, lanes);
    return all % kMostQueryVectors == vectors % kMostQueryVectors ||
           (vectors == kMostQueryVectors && all > vectors);
  }
};

} // namespace

void registerAttentionEmitter(MLIRContext *context) {
  amp::AttentionOp::attachInterface<AttentionEmitter>(*context);
}

} // namespace ampc::cpu
