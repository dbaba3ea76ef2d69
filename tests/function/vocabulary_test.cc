// Vocabularies: rules of lines, errors, and lookups against std::unordered_map.

#include "src/plan/function/vocabulary.h"

#include <sys/stat.h>
#include <xxhash.h>

#include <cstdint>
#include <fstream>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/naive/naive_functions.h"
#include "tests/support/guarded_bytes.h"
#include "tests/support/matchers.h"
#include "tests/support/temporary_file.h"

namespace headrace::testing {
namespace {

using function::Vocabulary;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using SharedVocabulary = std::shared_ptr<const Vocabulary>;

Result<SharedVocabulary> OfFile(std::string_view bytes,
                                DType type = DType::kBytes,
                                std::optional<uint64_t> size = {}) {
  const TemporaryFile file(bytes);
  return Vocabulary::FromFile(file.path(), type, size);
}

template <class Key>
std::vector<int64_t> LinesOf(const SharedVocabulary& vocabulary,
                             const std::vector<Key>& keys) {
  std::vector<int64_t> lines(keys.size(), -7);
  vocabulary->Find(keys, lines.data());
  return lines;
}

// The text of the error of a file, which must be kBadSpec and name the file.
std::string ErrorOf(std::string_view bytes, DType type = DType::kBytes,
                    std::optional<uint64_t> size = {}) {
  const TemporaryFile file(bytes);
  const auto made = Vocabulary::FromFile(file.path(), type, size);
  if (made.ok()) return "no error";
  EXPECT_EQ(made.status(), ErrorCode::kBadSpec);
  EXPECT_EQ(made.status().info()->file, file.path());
  return std::string(made.status().message());
}

TEST(Vocabulary, LinesEndWithFeeds) {
  const std::vector<std::string_view> keys = {"a", "b\r", " c", "d", "", "b"};
  for (const std::string_view file :
       {"a\nb\r\r\n c\nd\n", "a\r\nb\r\r\n c\r\nd", "a\nb\r\r\n c\nd\r"}) {
    const auto made = OfFile(file);
    ASSERT_THAT(made, IsOk());
    EXPECT_EQ((*made)->size(), 4u);
    EXPECT_EQ((*made)->type(), DType::kBytes);
    EXPECT_THAT(LinesOf(*made, keys), ElementsAre(0, 1, 2, 3, -1, -1));
  }
}

TEST(Vocabulary, AnyBytesBelongToAKey) {
  const std::string file(
      "\xef\xbb\xbf"
      "a\n\0\0\n\0\nb c \n\xff\n",
      16);
  const auto made = OfFile(file);
  ASSERT_THAT(made, IsOk());
  const std::vector<std::string_view> keys = {
      "\xef\xbb\xbf"
      "a",
      std::string_view("\0\0", 2),
      std::string_view("\0", 1),
      "b c ",
      "\xff",
      "b c",
      "a"};
  EXPECT_THAT(LinesOf(*made, keys), ElementsAre(0, 1, 2, 3, 4, -1, -1));
}

TEST(Vocabulary, BadFiles) {
  EXPECT_EQ(ErrorOf(""), "a vocabulary must not be empty");
  EXPECT_EQ(ErrorOf("\n"), "line 1 of the vocabulary is empty");
  EXPECT_EQ(ErrorOf("a\n\nb\n"), "line 2 of the vocabulary is empty");
  EXPECT_EQ(ErrorOf("a\n\r\nb\n"), "line 2 of the vocabulary is empty");
  EXPECT_EQ(ErrorOf("a\nb\n\n"), "line 3 of the vocabulary is empty");
  EXPECT_EQ(ErrorOf("a\nb\nc\nb\r\n"),
            "line 4 of the vocabulary repeats line 2: \"b\"");
  EXPECT_THAT(ErrorOf("\x1f\x8b\x08 and more\n"),
              HasSubstr("must not be compressed, and this is gzip"));
  EXPECT_THAT(ErrorOf("\x28\xb5\x2f\xfd and more\n"),
              HasSubstr("must not be compressed, and this is zstd"));
  // In a later block of keys.
  std::string many;
  for (int i = 0; i < 1000; ++i) many += std::to_string(i) + "\n";
  EXPECT_EQ(ErrorOf(many + "998\n"),
            "line 1,001 of the vocabulary repeats line 999: \"998\"");
}

TEST(Vocabulary, SizeCutsTheFile) {
  const std::vector<std::string_view> keys = {"a", "b", "c"};
  const auto made = OfFile("a\nb\nc\nc\n\n", DType::kBytes, 2);
  ASSERT_THAT(made, IsOk());
  EXPECT_THAT(LinesOf(*made, keys), ElementsAre(0, 1, -1));
  EXPECT_THAT(OfFile("a\nb", DType::kBytes, 2), IsOk());
  EXPECT_EQ(ErrorOf("a\nb\n", DType::kBytes, 3),
            "the vocabulary has 2 lines, but size is 3");
  EXPECT_EQ(ErrorOf("a\nb\n", DType::kBytes, 0), "size must be at least 1");
}

TEST(Vocabulary, LinesOfIntegers) {
  const auto made = OfFile(
      "5\n-3\r\n +7 \n0012\n\t-0\v\f\n9223372036854775807\n"
      "-9223372036854775808",
      DType::kInt64);
  ASSERT_THAT(made, IsOk());
  EXPECT_EQ((*made)->type(), DType::kInt64);
  const std::vector<int64_t> keys = {5, -3, 7, 12, 0, INT64_MAX, INT64_MIN, 8};
  EXPECT_THAT(LinesOf(*made, keys), ElementsAre(0, 1, 2, 3, 4, 5, 6, -1));

  for (const std::string line :
       {"0x10", "1e3", "1.0", "9223372036854775808", "-9223372036854775809",
        "+-5", "-+5", "--5", "++5", "+", "-", " ", "1 2", "a", "5\r"}) {
    const std::string text = ErrorOf("1\n" + line + "\n3\n", DType::kInt64);
    if (line == "5\r") {
      EXPECT_EQ(text, "no error");
    } else {
      EXPECT_THAT(text,
                  HasSubstr("line 2 of the vocabulary is not an int64: "));
    }
  }
  EXPECT_EQ(ErrorOf("1\n\n", DType::kInt64),
            "line 2 of the vocabulary is empty");
  EXPECT_EQ(ErrorOf("5\n1\n 05\n", DType::kInt64),
            "line 3 of the vocabulary repeats line 1: 5");
}

TEST(Vocabulary, OnlyRegularFilesAreOpened) {
  const TemporaryFolder folder;
  const std::string pipe = folder.path() + "/pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  // Would wait for a writer.
  EXPECT_THAT(Vocabulary::FromFile(pipe, DType::kBytes),
              IsError(ErrorCode::kInvalidArgument));
  EXPECT_THAT(Vocabulary::FromFile("/dev/zero", DType::kBytes),
              IsError(ErrorCode::kInvalidArgument));
  EXPECT_THAT(Vocabulary::FromFile("-", DType::kBytes),
              IsError(ErrorCode::kInvalidArgument));
  EXPECT_THAT(Vocabulary::FromFile(folder.path(), DType::kBytes),
              IsError(ErrorCode::kIo));
  EXPECT_THAT(Vocabulary::FromFile(folder.path() + "/none", DType::kBytes),
              IsError(ErrorCode::kNotFound));
}

TEST(Vocabulary, LaterChangesOfTheFileAreNotSeen) {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/words";
  const auto write = [&](std::string_view bytes) {
    std::ofstream(path, std::ios::trunc) << bytes;
  };
  write("a\nb\n");
  const auto made = Vocabulary::FromFile(path, DType::kBytes);
  ASSERT_THAT(made, IsOk());
  write("");
  const std::vector<std::string_view> keys = {"b", "a"};
  EXPECT_THAT(LinesOf(*made, keys), ElementsAre(1, 0));
}

TEST(Vocabulary, Lists) {
  const std::vector<std::string_view> words = {"b", "a\nc", "d\r"};
  const auto made = Vocabulary::FromKeys(words);
  ASSERT_THAT(made, IsOk());
  EXPECT_THAT(LinesOf(*made, words), ElementsAre(0, 1, 2));
  const std::vector<int64_t> numbers = {7, -7};
  const auto of_ints = Vocabulary::FromKeys(numbers);
  ASSERT_THAT(of_ints, IsOk());
  EXPECT_THAT(LinesOf(*of_ints, numbers), ElementsAre(0, 1));

  const auto message = [](const auto& keys) {
    const auto bad = Vocabulary::FromKeys(keys);
    EXPECT_EQ(bad.status(), ErrorCode::kBadSpec);
    return std::string(bad.status().message());
  };
  using Words = std::vector<std::string_view>;
  EXPECT_EQ(message(Words{}), "a vocabulary must not be empty");
  EXPECT_EQ(message(Words{"a", ""}), "key 2 of the vocabulary is empty");
  EXPECT_EQ(message(Words{"a", "b", "a"}),
            "key 3 of the vocabulary repeats key 1: \"a\"");
  EXPECT_EQ(message(std::vector<int64_t>{}), "a vocabulary must not be empty");
  EXPECT_EQ(message(std::vector<int64_t>{4, 4}),
            "key 2 of the vocabulary repeats key 1: 4");
}

TEST(Vocabulary, DigestIsOfTheKeysAndTheirOrder) {
  const auto digest = [](std::string_view file) {
    return (*OfFile(file))->digest();
  };
  EXPECT_EQ(digest("a\nb\n"), digest("a\r\nb"));
  EXPECT_NE(digest("a\nb\n"), digest("b\na\n"));
  EXPECT_NE(digest("a\nb\n"), digest("a\nbc\n"));
  EXPECT_NE(digest("ab\nc\n"), digest("a\nbc\n"));
  EXPECT_NE(digest("a\nb\n"), digest("a\n"));
  const std::vector<std::string_view> words = {"a", "b"};
  EXPECT_EQ((*Vocabulary::FromKeys(words))->digest(), digest("a\nb\n"));
}

TEST(Vocabulary, AgreesWithTheNaiveReader) {
  std::mt19937_64 random(1);
  int good = 0;
  for (int i = 0; i < 5000; ++i) {
    std::string file(random() % 12, '\0');
    for (char& c : file) c = "ab\r\n\n"[random() % 5];
    const auto wanted = NaiveVocabulary(file);
    const auto made = OfFile(file);
    ASSERT_EQ(made.ok(), wanted.has_value()) << file;
    if (!wanted) continue;
    ++good;
    ASSERT_EQ((*made)->size(), wanted->size());
    for (const auto& [word, line] : *wanted) {
      ASSERT_THAT(LinesOf(*made, std::vector<std::string_view>{word}),
                  ElementsAre(line));
    }
  }
  EXPECT_GT(good, 500);
}

TEST(Vocabulary, ManyKeysAgainstAMap) {
  constexpr size_t kKeys = 1000000;
  std::mt19937_64 random(2);
  std::unordered_map<std::string, int64_t> map;
  std::string file;
  while (map.size() < kKeys) {
    std::string key = std::to_string(random() % (4 * kKeys));
    if (random() % 8 == 0) key += " with a tail that fills a cache line " + key;
    const auto line = static_cast<int64_t>(map.size());
    if (map.emplace(key, line).second) file += key + "\n";
  }
  const auto made = OfFile(file);
  ASSERT_THAT(made, IsOk());
  EXPECT_LE((*made)->memory(), file.size() + 64 * kKeys);

  std::vector<std::string> queries;
  std::vector<int64_t> wanted;
  for (size_t i = 0; i < kKeys; ++i) {
    queries.push_back(std::to_string(random() % (4 * kKeys)));
    if (i % 5 == 0) {
      queries.back() +=
          " with a tail that fills a cache line " + queries.back();
    }
    const auto found = map.find(queries.back());
    wanted.push_back(found == map.end() ? -1 : found->second);
  }
  const std::vector<std::string_view> views(queries.begin(), queries.end());
  EXPECT_EQ(LinesOf(*made, views), wanted);
}

TEST(Vocabulary, ManyIntegersAgainstAMap) {
  constexpr size_t kKeys = 300000;
  std::mt19937_64 random(3);
  std::unordered_map<int64_t, int64_t> map;
  std::vector<int64_t> keys;
  while (map.size() < kKeys) {
    const auto key = static_cast<int64_t>(random() % (2 * kKeys));
    if (map.emplace(key, int64_t(map.size())).second) keys.push_back(key);
  }
  const auto made = Vocabulary::FromKeys(keys);
  ASSERT_THAT(made, IsOk());
  std::vector<int64_t> queries;
  std::vector<int64_t> wanted;
  for (size_t i = 0; i < 2 * kKeys; ++i) {
    queries.push_back(static_cast<int64_t>(i));
    const auto found = map.find(queries.back());
    wanted.push_back(found == map.end() ? -1 : found->second);
  }
  EXPECT_EQ(LinesOf(*made, queries), wanted);
}

// Pairs of different keys with the same tag in the table, which is the low half
// of their hash.
std::vector<std::pair<int64_t, int64_t>> PairsOfOneTag() {
  std::unordered_map<uint32_t, int64_t> first;
  std::vector<std::pair<int64_t, int64_t>> pairs;
  for (int64_t key = 0; pairs.size() < 20; ++key) {
    const std::string text = std::to_string(key);
    const auto tag =
        static_cast<uint32_t>(XXH3_64bits(text.data(), text.size()));
    const auto [found, is_new] = first.emplace(tag, key);
    if (!is_new) pairs.emplace_back(found->second, key);
  }
  return pairs;
}

TEST(Vocabulary, KeysOfOneTagAreToldApart) {
  for (const auto& [first, second] : PairsOfOneTag()) {
    const std::string a = std::to_string(first);
    const std::string b = std::to_string(second);
    const std::vector<std::string_view> both = {a, b};
    auto made = Vocabulary::FromKeys(std::span(both).first(1));
    ASSERT_THAT(made, IsOk());
    EXPECT_THAT(LinesOf(*made, both), ElementsAre(0, -1));
    made = Vocabulary::FromKeys(both);
    ASSERT_THAT(made, IsOk());
    EXPECT_THAT(LinesOf(*made, both), ElementsAre(0, 1));
  }
}

TEST(Vocabulary, NothingBesideAKeyIsRead) {
  std::string file;
  for (size_t size = 1; size <= 300; ++size) {
    file += std::string(size, 'a') + "\n";
  }
  const auto made = OfFile(file);
  ASSERT_THAT(made, IsOk());
  GuardedBytes guarded(400);
  for (size_t size = 0; size <= 310; ++size) {
    const int64_t wanted =
        size > 0 && size <= 300 ? static_cast<int64_t>(size) - 1 : -1;
    const std::string key(size, 'a');
    std::vector<std::string_view> keys = {guarded.PlaceAtEnd(key)};
    ASSERT_THAT(LinesOf(*made, keys), ElementsAre(wanted));
    keys = {guarded.PlaceAtStart(key)};
    ASSERT_THAT(LinesOf(*made, keys), ElementsAre(wanted));
  }
}

}  // namespace
}  // namespace headrace::testing
