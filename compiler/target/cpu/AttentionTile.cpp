//===- AttentionTile.cpp - Attention of a few queries ---------------------===//

#include "compiler/target/cpu/AttentionTile.h"

#include "compiler/target/cpu/BufferAccess.h"
#include "compiler/target/cpu/GemmPanel.h"
#include "compiler/target/cpu/GemmTile.h"
#include "compiler/target/cpu/MathFunctions.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace ampc::cpu {

namespace {

using Values = SmallVector<Value>;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

class TileEmitter {
public:
  TileEmitter(OpBuilder &b, Location loc, const Attention &x,
              const AttentionScratch &scratch, const AttentionOffsets &offsets,
              Value firstQuery, int64_t vectors, const CpuTarget &target)
      : b(b), loc(loc), ix(b, loc), x(x), scratch(scratch), offsets(offsets),
        firstQuery(firstQuery), vectors(vectors), lanes(target.lanes(32)),
        target(target), vectorType(VectorType::get({lanes}, b.getF32Type())) {
    // Sums that leave registers for what they are made of; a power of two, so
    // that blocks of keys are whole tiles.
    int64_t sums = target.vectorRegisters >= 32 ? 24 : 12;
    rows = llvm::bit_floor(uint64_t(sums / vectors));
  }

  void emit();

private:
  /// A block of keys.
  struct Block {
    OpFoldResult first, count;
  };
  /// What is known of a tile's queries after some keys.
  struct State {
    Values largest, sums;
  };

  int64_t width() const { return vectors * lanes; }
  Value number(double value) {
    return b.create<arith::ConstantOp>(
        loc, DenseElementsAttr::get(vectorType, float(value)));
  }
  Value load(Value rowsOf, OpFoldResult row, int64_t vector) {
    return loadElements(b, loc, rowsOf, at(row, vector), b.getF32Type(), lanes);
  }
  void store(Value value, Value rowsOf, OpFoldResult row, int64_t vector) {
    storeElements(b, loc, value, rowsOf, at(row, vector));
  }
  /// Where a row's vector is in scratch.
  Value at(OpFoldResult row, int64_t vector) {
    return ix.value(
        ix.add(ix.mul(row, ix.constant(width())), ix.constant(vector * lanes)));
  }
  /// Of the difference to a larger one.
  Value exponential(Value score, Value larger) {
    return expNotPositiveF32(Expr(b, loc, score) - Expr(b, loc, larger))
        .value();
  }
  /// A loop that hands values on.
  Values loop(OpFoldResult from, OpFoldResult to, int64_t step,
              ArrayRef<Value> initial,
              llvm::function_ref<Values(OpFoldResult, ArrayRef<Value>)> body);
  void packQueries(Value into, const AttentionMatrix &matrix,
                   OpFoldResult offset, OpFoldResult length);
  Values scores(const Block &block, ArrayRef<Value> largest);
  Values scoreTile(const Block &block, OpFoldResult key, bool partial,
                   ArrayRef<Value> largest);
  Value masked(Value score, const Block &block, OpFoldResult key,
               int64_t vector);
  Value hidden(Value score, OpFoldResult key, int64_t vector);
  State step(const Block &block, const State &before);
  void addValues(const Block &block, ArrayRef<Value> factors);
  void finish(ArrayRef<Value> sums);

  OpBuilder &b;
  Location loc;
  IndexBuilder ix;
  const Attention &x;
  const AttentionScratch &scratch;
  const AttentionOffsets &offsets;
  Value firstQuery;
  int64_t vectors, lanes, rows;
  const CpuTarget &target;
  VectorType vectorType;
};

Values TileEmitter::loop(
    OpFoldResult from, OpFoldResult to, int64_t step, ArrayRef<Value> initial,
    llvm::function_ref<Values(OpFoldResult, ArrayRef<Value>)> body) {
  auto f = IndexBuilder::known(from), t = IndexBuilder::known(to);
  if (f && t && *f >= *t)
    return Values(initial);
  OpBuilder::InsertionGuard guard(b);
  auto loop = b.create<scf::ForOp>(loc, ix.value(from), ix.value(to),
                                   ix.value(ix.constant(step)), initial);
  b.setInsertionPointToStart(loop.getBody());
  Values results = body(OpFoldResult(loop.getInductionVar()),
                        Values(loop.getRegionIterArgs()));
  // Loops that hand nothing on have their terminator already.
  if (!results.empty())
    b.create<scf::YieldOp>(loc, results);
  return Values(loop.getResults());
}

/// `length` elements of each of the tile's rows of a matrix that has one row a
/// query, as rows of scratch.
void TileEmitter::packQueries(Value into, const AttentionMatrix &matrix,
                              OpFoldResult offset, OpFoldResult length) {
  emitPackPanel(b, loc,
                {matrix.buffer,
                 offset,
                 into,
                 {{length, ix.constant(0), matrix.elementStride}},
                 {{x.queryCount, matrix.rowStride}},
                 OpFoldResult(firstQuery),
                 x.queryCount,
                 lanes,
                 vectors,
                 b.getF32Type(),
                 /*isUnsigned=*/false,
                 target.cheapMasks});
}

/// -inf where the key comes after the lane's query.
Value TileEmitter::hidden(Value score, OpFoldResult key, int64_t vector) {
  SmallVector<int32_t> ids;
  for (int64_t lane = 0; lane < lanes; ++lane)
    ids.push_back(vector * lanes + lane);
  auto type = VectorType::get({lanes}, b.getI32Type());
  Value query = b.create<arith::ConstantOp>(
      loc, DenseElementsAttr::get(type, ArrayRef(ids)));
  Value distance = b.create<arith::IndexCastOp>(
      loc, b.getI32Type(), ix.value(ix.sub(key, OpFoldResult(firstQuery))));
  Value sees = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::sge, query,
                                       fillLanes(b, loc, distance, lanes));
  return b.create<arith::SelectOp>(loc, sees, score, number(-kInfinity));
}

/// The score with the mask's element added. `key` counts from the block's
/// first.
Value TileEmitter::masked(Value score, const Block &block, OpFoldResult key,
                          int64_t vector) {
  Value more;
  if (x.oneMaskRow) {
    OpFoldResult column = ix.add(block.first, key);
    Value element = b.create<memref::LoadOp>(
        loc, x.mask.buffer,
        ix.value(ix.add(offsets.mask, ix.mul(column, x.mask.elementStride))));
    more = fillLanes(
        b, loc, widenOperand(b, loc, element, b.getF32Type(), false), lanes);
  } else {
    more = load(scratch.mask, key, vector);
  }
  return b.create<arith::AddFOp>(loc, score, more);
}

/// The scores of some keys, `key` of the block and those after it. Rows past a
/// `partial` tile's last key repeat it, which changes no maximum.
Values TileEmitter::scoreTile(const Block &block, OpFoldResult key,
                              bool partial, ArrayRef<Value> largest) {
  SmallVector<OpFoldResult> keys;
  GemmOperands operands;
  OpFoldResult last = ix.sub(block.count, ix.constant(1));
  for (int64_t row = 0; row < rows; ++row) {
    OpFoldResult own = ix.add(key, ix.constant(row));
    keys.push_back(partial ? ix.min(own, last) : own);
    OpFoldResult distance =
        partial ? ix.sub(keys.back(), key) : ix.constant(row);
    operands.aRows.push_back(ix.mul(distance, x.key.rowStride));
  }
  operands.a = x.key.buffer;
  operands.b = scratch.queries;
  operands.aOffset =
      ix.add(offsets.key, ix.mul(ix.add(block.first, key), x.key.rowStride));
  operands.bOffset = ix.constant(0);
  operands.k = {{ix.constant(x.d), x.key.elementStride, ix.constant(width())}};
  operands.accumulator = b.getF32Type();
  Values tile(rows * vectors, number(0)), masks(vectors);
  emitGemmTile(b, loc, operands, lanes, masks, tile);
  Values now(largest);
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t v = 0; v < vectors; ++v) {
      Value score = tile[row * vectors + v];
      if (x.scale != 1)
        score = b.create<arith::MulFOp>(loc, score, number(x.scale));
      if (x.mask.buffer)
        score = masked(score, block, keys[row], v);
      if (x.causal)
        score = hidden(score, ix.add(block.first, keys[row]), v);
      store(score, scratch.scores, ix.add(key, ix.constant(row)), v);
      // Which of the two NaN gives does not matter: the sum becomes NaN.
      Value larger = b.create<arith::CmpFOp>(loc, arith::CmpFPredicate::OGT,
                                             score, now[v]);
      now[v] = b.create<arith::SelectOp>(loc, larger, score, now[v]);
    }
  return now;
}

/// Stores the scores of a block, and gives the largest so far.
Values TileEmitter::scores(const Block &block, ArrayRef<Value> largest) {
  if (scratch.mask && x.mask.buffer) {
    OpFoldResult offset =
        ix.add(offsets.mask, ix.mul(block.first, x.mask.elementStride));
    packQueries(scratch.mask, x.mask, offset, block.count);
  }
  OpFoldResult by = ix.constant(rows);
  OpFoldResult whole = ix.mul(ix.div(block.count, by), by);
  Values now = loop(ix.constant(0), whole, rows, largest,
                    [&](OpFoldResult key, ArrayRef<Value> before) {
                      return scoreTile(block, key, /*partial=*/false, before);
                    });
  return loop(whole, block.count, rows, now,
              [&](OpFoldResult key, ArrayRef<Value> before) {
                return scoreTile(block, key, /*partial=*/true, before);
              });
}

/// Adds the products of a block's exponentials and values to the results so
/// far, which are scaled first.
void TileEmitter::addValues(const Block &block, ArrayRef<Value> factors) {
  auto tile = [&](OpFoldResult element, int64_t count) {
    GemmOperands operands;
    operands.a = x.value.buffer;
    operands.b = scratch.scores;
    operands.aOffset =
        ix.add(ix.add(offsets.value, ix.mul(block.first, x.value.rowStride)),
               ix.mul(element, x.value.elementStride));
    operands.bOffset = ix.constant(0);
    operands.k = {{block.count, x.value.rowStride, ix.constant(width())}};
    operands.accumulator = b.getF32Type();
    Values sums, masks(vectors);
    for (int64_t row = 0; row < count; ++row) {
      operands.aRows.push_back(ix.mul(ix.constant(row), x.value.elementStride));
      for (int64_t v = 0; v < vectors; ++v)
        sums.push_back(b.create<arith::MulFOp>(
            loc, load(scratch.results, ix.add(element, ix.constant(row)), v),
            factors[v]));
    }
    emitGemmTile(b, loc, operands, lanes, masks, sums);
    for (int64_t row = 0; row < count; ++row)
      for (int64_t v = 0; v < vectors; ++v)
        store(sums[row * vectors + v], scratch.results,
              ix.add(element, ix.constant(row)), v);
  };
  const int64_t whole = x.e / rows * rows;
  loop(ix.constant(0), ix.constant(whole), rows, {},
       [&](OpFoldResult element, ArrayRef<Value>) {
         tile(element, rows);
         return Values();
       });
  if (whole < x.e)
    tile(ix.constant(whole), x.e - whole);
}

TileEmitter::State TileEmitter::step(const Block &block, const State &before) {
  State after;
  after.largest = scores(block, before.largest);
  Values base, factors, zeros(vectors, number(0));
  for (int64_t v = 0; v < vectors; ++v) {
    // Where all scores are -inf there is nothing to subtract yet.
    Value none = b.create<arith::CmpFOp>(loc, arith::CmpFPredicate::OEQ,
                                         after.largest[v], number(-kInfinity));
    base.push_back(
        b.create<arith::SelectOp>(loc, none, number(0), after.largest[v]));
    factors.push_back(exponential(before.largest[v], base[v]));
  }
  Values sums = loop(ix.constant(0), block.count, 1, zeros,
                     [&](OpFoldResult key, ArrayRef<Value> so) {
                       Values next;
                       for (int64_t v = 0; v < vectors; ++v) {
                         Value e =
                             exponential(load(scratch.scores, key, v), base[v]);
                         store(e, scratch.scores, key, v);
                         next.push_back(b.create<arith::AddFOp>(loc, so[v], e));
                       }
                       return next;
                     });
  for (int64_t v = 0; v < vectors; ++v)
    after.sums.push_back(
        b.create<math::FmaOp>(loc, before.sums[v], factors[v], sums[v]));
  addValues(block, factors);
  return after;
}

/// Divides by the sums. Those of no keys are 0 for another reason than those of
/// keys that all are masked.
void TileEmitter::finish(ArrayRef<Value> sums) {
  Values factors;
  for (Value sum : sums)
    factors.push_back(b.create<arith::DivFOp>(loc, number(1), sum));
  auto keys = IndexBuilder::known(x.keyCount);
  if (!keys || *keys == 0) {
    Value none =
        ix.compare(arith::CmpIPredicate::eq, x.keyCount, ix.constant(0));
    for (Value &factor : factors)
      factor = b.create<arith::SelectOp>(loc, none, number(0), factor);
  }
  loop(ix.constant(0), ix.constant(x.e), 1, {},
       [&](OpFoldResult element, ArrayRef<Value>) {
         for (int64_t v = 0; v < vectors; ++v)
           store(b.create<arith::MulFOp>(loc, load(scratch.results, element, v),
                                         factors[v]),
                 scratch.results, element, v);
         return Values();
       });
}

void TileEmitter::emit() {
  packQueries(scratch.queries, x.query, offsets.query, ix.constant(x.d));
  loop(ix.constant(0), ix.constant(x.e), 1, {},
       [&](OpFoldResult element, ArrayRef<Value>) {
         for (int64_t v = 0; v < vectors; ++v)
           store(number(0), scratch.results, element, v);
         return Values();
       });
  OpFoldResult end = x.keyCount;
  if (x.causal) // What all queries do not see is left out.
    end = ix.min(end, ix.add(OpFoldResult(firstQuery), ix.constant(width())));
  Values initial(vectors, number(-kInfinity));
  initial.append(vectors, number(0));
  auto known = IndexBuilder::known(end);
  Values final = loop(ix.constant(0), end, kKeyBlock, initial,
                      [&](OpFoldResult first, ArrayRef<Value> before) {
                        OpFoldResult count = ix.constant(kKeyBlock);
                        if (!known || *known % kKeyBlock)
                          count = ix.min(count, ix.sub(end, first));
                        State after = step({first, count},
                                           {Values(before.take_front(vectors)),
                                            Values(before.take_back(vectors))});
                        after.largest.append(after.sums);
                        return after.largest;
                      });
  finish(ArrayRef(final).take_back(vectors));
}

} // namespace

AttentionScratch::AttentionScratch(const Attention &attention, int64_t width,
                                   OpBuilder &b, Location loc) {
  auto rows = [&](int64_t count) {
    return b.create<memref::AllocaOp>(
        loc,
        MemRefType::get({std::max<int64_t>(count, 1) * width}, b.getF32Type()),
        b.getI64IntegerAttr(64));
  };
  queries = rows(attention.d);
  scores = rows(kKeyBlock);
  results = rows(attention.e);
  if (attention.mask.buffer && !attention.oneMaskRow)
    mask = rows(kKeyBlock);
}

void emitAttentionTile(OpBuilder &b, Location loc, const Attention &attention,
                       const AttentionScratch &scratch,
                       const AttentionOffsets &offsets, Value firstQuery,
                       int64_t vectors, const CpuTarget &target) {
  TileEmitter(b, loc, attention, scratch, offsets, firstQuery, vectors, target)
      .emit();
}

} // namespace ampc::cpu
