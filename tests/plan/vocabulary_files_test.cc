// Where the vocabulary files of a spec are, and how plans know their words.

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/decoder.h"
#include "headrace/plan.h"
#include "src/read/batch/batch_copy.h"
#include "tests/support/example_builder.h"
#include "tests/support/matchers.h"
#include "tests/support/or_throw.h"
#include "tests/support/temporary_file.h"

namespace headrace::testing {
namespace {

std::string JsonOf(std::string_view path) {
  return R"({"features": [{"name": "g", "kind": "jagged", "as": "int32",
      "features": [{"name": "x", "kind": "ragged", "dtype": "bytes",
      "map": [{"vocabulary": ")" +
         std::string(path) + R"(", "default": -1}]}]}]})";
}

std::string FileOf(const FeatureSpec& spec) {
  const FeatureConfig& member = spec.features()[0].config.members[0].config;
  return std::get<Vocabulary>(member.map[0]).file;
}

FeatureSpec Mapped(ValueFunction function, DType dtype = DType::kBytes,
                   DType as = DType::kInt64) {
  return FeatureSpec().AddJagged(
      "g", as, {{"x", Ragged(dtype).Map(std::move(function))}});
}

std::string TextOf(const FeatureSpec& spec) {
  return OrThrow(Plan::Compile(spec)).ToString();
}

TEST(VocabularyFilesTest, AFolderForRelativePaths) {
  const auto file = [](std::string_view path, std::string folder) {
    return FileOf(
        OrThrow(FeatureSpec::FromJson(JsonOf(path), {.folder = folder})));
  };
  EXPECT_EQ(file("words.txt", ""), "words.txt");
  EXPECT_EQ(file("words.txt", "specs"), "specs/words.txt");
  EXPECT_EQ(file("../words.txt", "/specs/"), "/specs/../words.txt");
  EXPECT_EQ(file("/words.txt", "specs"), "/words.txt");
}

TEST(VocabularyFilesTest, MayBeForbidden) {
  EXPECT_THAT(FeatureSpec::FromJson(JsonOf("/etc/passwd"), {.files = false}),
              IsError(ErrorCode::kBadSpec,
                      {.feature = "x", .text = "must not name files"}));
  const std::string keys = R"({"features": [{"name": "g", "kind": "jagged",
      "as": "int32", "features": [{"name": "x", "kind": "ragged",
      "dtype": "bytes", "map": [{"keys": ["a"], "default": -1}]}]}]})";
  EXPECT_THAT(FeatureSpec::FromJson(keys, {.files = false}), IsOk());
}

TEST(VocabularyFilesTest, PlansKnowTheWords) {
  const TemporaryFile words("cat\ndog\n");
  const TemporaryFile ended("cat\r\ndog");
  const TemporaryFile swapped("dog\ncat\n");
  const auto plan_of = [](const TemporaryFile& file) {
    return OrThrow(Plan::Compile(
        Mapped(Vocabulary{.file = file.path(), .default_id = -1})));
  };
  const auto files = plan_of(words).vocabulary_files();
  ASSERT_EQ(files.size(), 1u);
  EXPECT_EQ(files[0].path, words.path());
  EXPECT_EQ(files[0].digest, plan_of(ended).vocabulary_files()[0].digest);
  EXPECT_NE(files[0].digest, plan_of(swapped).vocabulary_files()[0].digest);
  // The text has no path, which may differ between machines.
  EXPECT_EQ(plan_of(words).ToString(), plan_of(ended).ToString());
  EXPECT_NE(plan_of(words).ToString(), plan_of(swapped).ToString());
  // Keys in the spec are the same words, and no file.
  const Plan listed = OrThrow(Plan::Compile(Mapped(Vocabulary{
      .keys = std::vector<std::string>{"cat", "dog"}, .default_id = -1})));
  EXPECT_EQ(listed.ToString(), plan_of(words).ToString());
  EXPECT_THAT(listed.vocabulary_files(), IsEmpty());
}

TEST(VocabularyFilesTest, TextsOfFunctions) {
  EXPECT_THAT(TextOf(Mapped(HashBucket{97})), HasSubstr(", hash_bucket 97\n"));
  const TemporaryFile words("cat\ndog\n");
  Vocabulary vocabulary{.file = words.path(), .oov_buckets = 3};
  EXPECT_THAT(TextOf(Mapped(vocabulary)), HasSubstr(", vocabulary of 2 keys "));
  EXPECT_THAT(TextOf(Mapped(vocabulary)), HasSubstr(", 3 buckets after\n"));
  vocabulary.oov_first = true;
  EXPECT_THAT(TextOf(Mapped(vocabulary)), HasSubstr(", 3 buckets before\n"));
  vocabulary = {.file = words.path(), .default_id = 7};
  EXPECT_THAT(TextOf(Mapped(vocabulary)), HasSubstr(", default 7\n"));
  EXPECT_THAT(TextOf(Mapped(Bucketize{{0.1f, 18}}, DType::kFloat)),
              HasSubstr(", bucketize at 2 boundaries 0.1 18.0\n"));
  std::vector<float> many(9);
  const std::string zeros = TextOf(Mapped(Bucketize{many}, DType::kFloat));
  EXPECT_THAT(zeros, HasSubstr(", bucketize at 9 boundaries "));
  many[8] = 1;
  EXPECT_NE(TextOf(Mapped(Bucketize{many}, DType::kFloat)), zeros);
  const auto of_floats = [](ValueFunction function) {
    return TextOf(Mapped(function, DType::kFloat, DType::kFloat));
  };
  EXPECT_THAT(of_floats(Clip{-0.5f, 1.0f}), HasSubstr(", clip -0.5 to 1.0\n"));
  EXPECT_THAT(TextOf(Mapped(Clip{int64_t{0}, int64_t{5}}, DType::kInt64)),
              HasSubstr(", clip 0 to 5\n"));
  EXPECT_THAT(of_floats(Log1p{}), HasSubstr(", log1p\n"));
  EXPECT_THAT(of_floats(Scale{3.5, 2}),
              HasSubstr(", scale by mean 3.5, std 2.0\n"));
}

TEST(VocabularyFilesTest, SavedBatchesNeedNoFile) {
  const std::string record = ExampleBuilder().Bytes("x", {"dog"}).Build();
  const std::string_view records[] = {record};
  std::string saved;
  {
    const TemporaryFile words("cat\ndog\n");
    const Plan plan = OrThrow(Plan::Compile(
        Mapped(Vocabulary{.file = words.path(), .default_id = -1})));
    const Batch batch = OrThrow(Decoder(plan).Decode(records));
    saved = OrThrow(SaveBatch(batch, std::vector<size_t>{0}));
    ASSERT_TRUE(std::filesystem::exists(words.path()));
  }
  const Batch loaded = OrThrow(LoadBatch(saved));
  EXPECT_THAT(loaded.tensors()[0].int64s(), ElementsAre(1));
  EXPECT_THAT(PlanOf(loaded)->ToString(), HasSubstr(", vocabulary\n"));
}

}  // namespace
}  // namespace headrace::testing
