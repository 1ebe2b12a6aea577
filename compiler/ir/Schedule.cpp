//===- Schedule.cpp - How a kernel's loops are cut ------------------------===//

#include "compiler/ir/Amp.h"

using namespace mlir;
using namespace amp;

ScheduleAttr
ScheduleAttr::get(MLIRContext *context,
                  ArrayRef<std::pair<StringRef, int64_t>> numbers) {
  Builder builder(context);
  NamedAttrList entries;
  for (auto [name, number] : numbers)
    entries.append(name, builder.getI64IntegerAttr(number));
  return get(context, entries.getDictionary(context));
}

std::optional<int64_t> ScheduleAttr::get(StringRef name) const {
  if (auto number = getEntries().getAs<IntegerAttr>(name))
    return number.getInt();
  return std::nullopt;
}

std::string ScheduleAttr::str() const {
  std::string text;
  llvm::raw_string_ostream(text) << *this;
  return text;
}

void ScheduleAttr::print(AsmPrinter &printer) const {
  printer << "<";
  llvm::interleaveComma(getEntries(), printer, [&](NamedAttribute entry) {
    printer << entry.getName().getValue() << " = "
            << llvm::cast<IntegerAttr>(entry.getValue()).getInt();
  });
  printer << ">";
}

Attribute ScheduleAttr::parse(AsmParser &parser, Type) {
  NamedAttrList entries;
  auto parseEntry = [&]() -> ParseResult {
    StringRef name;
    int64_t number;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&name) || parser.parseEqual() ||
        parser.parseInteger(number))
      return failure();
    if (entries.get(name))
      return parser.emitError(loc, "has '") << name << "' twice";
    entries.append(name, parser.getBuilder().getI64IntegerAttr(number));
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                     parseEntry))
    return {};
  return get(parser.getContext(), entries.getDictionary(parser.getContext()));
}
