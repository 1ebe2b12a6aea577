//===- SourceNodes.cpp - Locations name nodes of the source ---------------===//

#include "compiler/ir/SourceNodes.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace amp;

static void collect(LocationAttr location, SmallVectorImpl<SourceNode> &nodes) {
  if (auto name = dyn_cast<NameLoc>(location)) {
    SourceNode node{name.getName(), ""};
    if (auto op = dyn_cast<NameLoc>(name.getChildLoc()))
      node.op = op.getName();
    if (!llvm::is_contained(nodes, node))
      nodes.push_back(node);
  } else if (auto fused = dyn_cast<FusedLoc>(location)) {
    for (Location part : fused.getLocations())
      collect(part, nodes);
  } else if (auto call = dyn_cast<CallSiteLoc>(location)) {
    collect(call.getCaller(), nodes); // The node whose body was inlined.
    if (nodes.empty())
      collect(call.getCallee(), nodes);
  }
}

SmallVector<SourceNode> amp::sourceNodes(Location location) {
  SmallVector<SourceNode> nodes;
  collect(location, nodes);
  return nodes;
}

Location amp::sourceLocation(MLIRContext *context, const SourceNode &node) {
  auto op = NameLoc::get(StringAttr::get(context, node.op));
  return NameLoc::get(StringAttr::get(context, node.name), op);
}

Location amp::sourceLocation(Location location, StringRef work) {
  SmallVector<Location> parts;
  for (const SourceNode &node : sourceNodes(location))
    parts.push_back(sourceLocation(location.getContext(), {node.name, work}));
  // Of no parts, the unknown location.
  return FusedLoc::get(location.getContext(), parts);
}
