//===- NpyHeader.cpp - The dictionary at the front of a .npy --------------===//

#include "NpyHeader.h"

#include "runtime/ampc.h"

#include <cctype>
#include <charconv>

using namespace ampc;

namespace {

struct Type {
  const char *descr; ///< Without byte order.
  int32_t dtype;
};

const Type types[] = {
    {"b1", AMPC_BOOL},      {"i1", AMPC_INT8},        {"i2", AMPC_INT16},
    {"i4", AMPC_INT32},     {"i8", AMPC_INT64},       {"u1", AMPC_UINT8},
    {"u2", AMPC_UINT16},    {"u4", AMPC_UINT32},      {"u8", AMPC_UINT64},
    {"f2", AMPC_FLOAT16},   {"f4", AMPC_FLOAT},       {"f8", AMPC_DOUBLE},
    {"c8", AMPC_COMPLEX64}, {"c16", AMPC_COMPLEX128}, {"V1", AMPC_UINT8},
    {"V2", AMPC_UINT16},    {"f1", AMPC_UINT8}, // As "V1", by ml_dtypes.
};

/// A cursor over the literal. Methods return false where the text differs.
class Parser {
public:
  explicit Parser(std::string_view text) : text(text) {}

  bool character(char c) {
    skipSpace();
    if (text.empty() || text[0] != c)
      return false;
    text.remove_prefix(1);
    return true;
  }

  bool word(std::string_view expected) {
    skipSpace();
    if (text.substr(0, expected.size()) != expected)
      return false;
    text.remove_prefix(expected.size());
    return true;
  }

  bool string(std::string &value) {
    skipSpace();
    if (text.empty() || (text[0] != '\'' && text[0] != '"'))
      return false;
    size_t end = text.find(text[0], 1);
    if (end == std::string_view::npos)
      return false;
    value = text.substr(1, end - 1);
    text.remove_prefix(end + 1);
    return true;
  }

  bool number(int64_t &value) {
    skipSpace();
    auto [end, failed] =
        std::from_chars(text.data(), text.data() + text.size(), value);
    if (failed != std::errc() || value < 0)
      return false;
    text.remove_prefix(size_t(end - text.data()));
    if (!text.empty() && text[0] == 'L') // Python 2's.
      text.remove_prefix(1);
    return true;
  }

  bool atEnd() {
    skipSpace();
    return text.empty();
  }

private:
  void skipSpace() {
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text[0])))
      text.remove_prefix(1);
  }
  std::string_view text;
};

bool parseShape(Parser &parser, std::vector<int64_t> &shape) {
  if (!parser.character('('))
    return false;
  while (!parser.character(')')) {
    int64_t size;
    if (!parser.number(size))
      return false;
    shape.push_back(size);
    if (!parser.character(',')) {
      if (!parser.character(')'))
        return false;
      break;
    }
  }
  return true;
}

std::optional<int32_t> parseDescr(const std::string &descr,
                                  std::string &error) {
  std::string bare = descr;
  char order = '|';
  if (!bare.empty() && std::string("<>=|").find(bare[0]) != std::string::npos) {
    order = bare[0];
    bare.erase(0, 1);
  }
  for (const Type &type : types)
    if (bare == type.descr) {
      if (order == '>' && bare.back() != '1') {
        error = "big-endian elements (" + descr + ") are not supported";
        return std::nullopt;
      }
      return type.dtype;
    }
  error = "elements of type '" + descr + "' are not supported";
  return std::nullopt;
}

} // namespace

std::optional<NpyHeader> ampc::parseNpyHeader(std::string_view text,
                                              std::string &error) {
  Parser parser(text);
  std::optional<std::string> descr;
  std::optional<bool> fortran;
  std::optional<std::vector<int64_t>> shape;
  bool good = parser.character('{');
  while (good && !parser.character('}')) {
    std::string key;
    good = parser.string(key) && parser.character(':');
    if (!good)
      break;
    if (key == "descr") {
      if (!parser.string(descr.emplace())) {
        error = "structured elements are not supported";
        return std::nullopt;
      }
    } else if (key == "fortran_order") {
      if (parser.word("True"))
        fortran = true;
      else if (parser.word("False"))
        fortran = false;
      else
        good = false;
    } else if (key == "shape") {
      good = parseShape(parser, shape.emplace());
    } else {
      good = false;
    }
    if (good && !parser.character(',')) {
      good = parser.character('}');
      break;
    }
  }
  if (!good || !parser.atEnd() || !descr || !fortran || !shape) {
    error = "malformed header";
    return std::nullopt;
  }
  std::optional<int32_t> dtype = parseDescr(*descr, error);
  if (!dtype)
    return std::nullopt;
  return NpyHeader{*dtype, *fortran, std::move(*shape)};
}

const char *ampc::npyDescr(int32_t dtype) {
  switch (dtype) {
  case AMPC_BOOL:
    return "|b1";
  case AMPC_INT8:
  case AMPC_INT4:
  case AMPC_INT2:
    return "|i1";
  case AMPC_INT16:
    return "<i2";
  case AMPC_INT32:
    return "<i4";
  case AMPC_INT64:
    return "<i8";
  case AMPC_UINT16:
  case AMPC_BFLOAT16:
    return "<u2";
  case AMPC_UINT32:
    return "<u4";
  case AMPC_UINT64:
    return "<u8";
  case AMPC_FLOAT16:
    return "<f2";
  case AMPC_FLOAT:
    return "<f4";
  case AMPC_DOUBLE:
    return "<f8";
  case AMPC_COMPLEX64:
    return "<c8";
  case AMPC_COMPLEX128:
    return "<c16";
  default: // uint8, 8-bit floats, unsigned types and floats under 8 bits.
    return "|u1";
  }
}
