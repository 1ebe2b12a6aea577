// Every version of every numeric op of the standard that opsets 7 to 28 have is
// built, by the table or by its function body.

#include "compiler/import/onnx/OpTable.h"

#include <gtest/gtest.h>
#include <onnx/defs/schema.h>

#include <map>
#include <set>

using namespace ampc::onnx_import;

TEST(OpCoverage, EveryNumericOpAndVersion) {
  const OpTable &table = OpTable::get();
  // Ops on text and pictures in files.
  const std::set<std::string> others{"ImageDecoder", "RegexFullMatch",
                                     "StringConcat", "StringNormalizer",
                                     "StringSplit"};
  std::map<std::string, std::map<int, onnx::OpSchema>> ops;
  for (const onnx::OpSchema &schema :
       onnx::OpSchemaRegistry::get_all_schemas_with_history())
    if (schema.domain().empty())
      ops[schema.Name()].emplace(schema.since_version(), schema);
  int count = 0;
  for (const auto &[name, versions] : ops) {
    for (auto it = versions.begin(); it != versions.end(); ++it) {
      const auto &[since, schema] = *it;
      auto next = std::next(it);
      bool isOlder = next != versions.end() && next->first <= 7;
      // Models must not use an op that is deprecated in their opset.
      if (isOlder || since > 28 || schema.deprecated() || others.count(name))
        continue;
      ++count;
      EXPECT_TRUE(table.find("", name, since) || schema.HasFunction() ||
                  schema.HasContextDependentFunction())
          << name << ", version " << since;
    }
  }
  EXPECT_GT(count, 500);
}
