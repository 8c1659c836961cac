// The JSON Schema accepts what the reader accepts and refuses what it can know to be wrong.
#include "mortise/model/schema.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "support/test_catalogue.h"

namespace mortise::model {
namespace {

namespace fs = std::filesystem;

TEST(Schema, NamesEveryPartAndField) {
  const auto schema = nlohmann::json::parse(json_schema(test::test_catalogue()));
  for (const PartInfo& part : test::test_catalogue().parts()) {
    const auto& def = schema["$defs"][std::string(item_name(part.section)) + "-" + part.type];
    ASSERT_TRUE(def.is_object()) << part.type;
    for (const FieldSpec& field : part.fields) EXPECT_TRUE(def["properties"].contains(field.name)) << field.name;
    EXPECT_EQ(def["additionalProperties"], false);
  }
}

// Runs python3 with jsonschema and yaml, if they are installed.
TEST(Schema, AgreesWithTheReader) {
  if (std::system("python3 -W ignore -c 'import jsonschema, yaml; jsonschema.Draft202012Validator' 2>/dev/null") != 0)
    GTEST_SKIP() << "python3 with jsonschema and yaml is not installed";
  const fs::path folder = fs::path(MORTISE_BINARY_DIR) / "test-files/schema";
  fs::create_directories(folder);
  std::ofstream(folder / "schema.json") << json_schema(test::test_catalogue());
  std::ofstream(folder / "check.py") << R"py(
import glob, json, re, sys, yaml
from jsonschema import Draft202012Validator
folder, source = sys.argv[1:3]
schema = json.load(open(folder + '/schema.json'))
Draft202012Validator.check_schema(schema)
validator = Draft202012Validator(schema)
wrong = 0
good = glob.glob(source + '/fuzz/corpus/model/good*.yaml') + glob.glob(source + '/fuzz/corpus/model/*.json')
assert len(good) >= 3
for path in good:
    for error in validator.iter_errors(yaml.safe_load(open(path))):
        print(path, error.json_path, error.message)
        wrong += 1
# Misspelt types and keys, missing fields: the codes that concern form alone.
tried = 0
for path in glob.glob(source + '/tests/model/bad/*.yaml'):
    text = open(path).read()
    codes = set(re.findall(r'^# \S+ (M\d\d\d)', text, re.M))
    if codes & {'M203', 'M205', 'M206', 'M201', 'M106', 'M101'} and not 'in-plane' in path:
        tried += 1
        if validator.is_valid(yaml.safe_load(text)):
            print(path, 'is accepted')
            wrong += 1
assert tried >= 15, tried
sys.exit(wrong != 0)
)py";
  const std::string command = "python3 -W ignore " + (folder / "check.py").string() + " " + folder.string() + " " +
                              std::string(MORTISE_SOURCE_DIR);
  EXPECT_EQ(std::system(command.c_str()), 0);
}

}  // namespace
}  // namespace mortise::model
