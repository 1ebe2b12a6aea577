//===- RowTiles.cpp - Rows of a contraction as register tiles -------------===//

#include "compiler/target/cpu/RowTiles.h"

using namespace mlir;

namespace ampc::cpu {

/// How many tiles of `size` rows `rest` rows take, which do not fill a tile or
/// come with a whole tile's rows (see cutRows): tiles of nearly equal size, of
/// few different ones.
static int64_t tilesOfSize(int64_t size, int64_t rest, int64_t tileRows) {
  int64_t most = std::max(tileRows / 2, std::min<int64_t>(tileRows, 6));
  int64_t tiles = llvm::divideCeil(rest, most);
  if (!tiles)
    return 0;
  int64_t larger = rest % tiles; // Of one row more.
  return (size == rest / tiles ? tiles - larger : 0) +
         (size == rest / tiles + 1 ? larger : 0);
}

SmallVector<RowTiles> cutRows(OpBuilder &b, Location loc, OpFoldResult count,
                              OpFoldResult rowCount, const GemmPlan &plan) {
  IndexBuilder ix(b, loc);
  const int64_t tileRows = plan.tileRows;
  // Tiles of fewer rows than this do not keep the arithmetic units busy.
  constexpr int64_t few = 4;
  OpFoldResult tile = ix.constant(tileRows);
  OpFoldResult tiles = ix.div(count, tile), rest = ix.rem(count, tile);
  SmallVector<int64_t> rests; // What a rest can be, if that is known.
  auto joined = [&](int64_t tiles, int64_t rest) {
    return rest && rest < few && tiles ? rest + tileRows : rest;
  };
  if (auto rows = IndexBuilder::known(rowCount)) {
    // Other blocks than the last have whole tiles.
    int64_t last = *rows % plan.blockRows;
    last = last ? last : *rows ? plan.blockRows : 0;
    rests.push_back(joined(last / tileRows, last % tileRows));
  } else {
    int64_t end =
        plan.mostRows ? std::min(tileRows, *plan.mostRows + 1) : tileRows + few;
    for (int64_t i = 1; i < end; ++i)
      rests.push_back(i);
  }
  if (tileRows > 1) {
    auto knownRest = IndexBuilder::known(rest);
    OpFoldResult taken;
    if (knownRest) {
      taken = ix.constant(joined(*IndexBuilder::known(tiles), *knownRest) !=
                          *knownRest);
    } else {
      Value joins = b.create<arith::AndIOp>(
          loc,
          b.create<arith::AndIOp>(
              loc, ix.compare(arith::CmpIPredicate::ugt, rest, ix.constant(0)),
              ix.compare(arith::CmpIPredicate::ult, rest, ix.constant(few))),
          ix.compare(arith::CmpIPredicate::ugt, tiles, ix.constant(0)));
      taken = b.createOrFold<arith::SelectOp>(
          loc, joins, ix.value(ix.constant(1)), ix.value(ix.constant(0)));
    }
    tiles = ix.sub(tiles, taken);
    rest = ix.add(rest, ix.mul(taken, tile));
  }
  SmallVector<RowTiles> cut{{tileRows, tiles}};
  for (int64_t size = tileRows; size > 0; --size) {
    // Two bits for each rest: how many tiles of this size it takes.
    int64_t table = 0;
    for (int64_t possible : rests)
      table |= tilesOfSize(size, possible, tileRows) << (2 * possible);
    if (!table)
      continue;
    OpFoldResult number;
    if (auto known = IndexBuilder::known(rest)) {
      number = ix.constant(tilesOfSize(size, *known, tileRows));
    } else {
      Value shift = ix.value(ix.mul(rest, ix.constant(2)));
      Value bits =
          b.create<arith::ShRUIOp>(loc, ix.value(ix.constant(table)), shift);
      number =
          b.createOrFold<arith::AndIOp>(loc, bits, ix.value(ix.constant(3)));
    }
    cut.push_back({size, number});
  }
  return cut;
}

} // namespace ampc::cpu
