#include "src/sample/shapes.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/sample/robot.h"

namespace headrace::sample {
namespace {

template <size_t N>
std::string Pick(const std::array<std::string_view, N>& from, Random* random) {
  return std::string(from[random->Below(N)]);
}

// Returns a key like "r3_ids"; the number has at least `digits` digits.
std::string Key(std::string_view begin, int number, std::string_view end = "",
                size_t digits = 1) {
  const std::string text = std::to_string(number);
  std::string key(begin);
  key.append(digits - std::min(digits, text.size()), '0');
  return key.append(text).append(end);
}

// Prices and ratings have two decimals; dividing rounds once.
float Cents(int64_t cents) {
  return static_cast<float>(static_cast<double>(cents) / 100);
}

std::vector<int64_t> Ids(size_t count, Random* random) {
  std::vector<int64_t> values(count);
  for (int64_t& value : values) {
    value = static_cast<int64_t>(random->LogUniform(1'000'000));
  }
  return values;
}

std::vector<float> Bells(size_t count, Random* random) {
  std::vector<float> values(count);
  for (float& value : values) value = random->Bell();
  return values;
}

std::string RandomBytes(size_t size, Random* random) {
  std::string bytes(size, '\0');
  for (size_t i = 0; i < size; i += 8) {
    uint64_t word = random->Next();
    for (size_t j = i; j < std::min(i + 8, size); ++j, word >>= 8) {
      bytes[j] = static_cast<char>(word & 0xff);
    }
  }
  return bytes;
}

std::string RandomWord(Random* random) {
  std::string word(3 + random->Below(10), ' ');
  for (char& c : word) c = static_cast<char>('a' + random->Below(26));
  return word;
}

std::string HexWord(uint64_t value) {
  std::array<char, 16> text;
  std::snprintf(text.data(), text.size(), "%08x",
                static_cast<unsigned>(value & 0xffffffff));
  return text.data();
}

constexpr std::array<std::string_view, 16> kFirstNames = {
    "Ada",  "Björn",  "Chloé", "Dmitri", "Esther", "Fatima", "Grace", "Hiro",
    "Иван", "Jürgen", "Kai",   "Łucja",  "María",  "李雷",   "Ngozi", "Zoë"};
constexpr std::array<std::string_view, 12> kLastNames = {
    "Almeida", "Brown",   "Çelik", "Diallo", "Ericsson", "García",
    "Hopper",  "Ivanova", "Kim",   "Müller", "Nakamura", "O'Neill"};
constexpr std::array<std::string_view, 8> kTags = {
    "admin", "beta", "émigré", "new", "paid", "trial", "東京", "🚀"};

// The features of people show every case that readers get wrong: absent, unset,
// empty, many.
void BuildPerson(uint64_t index, Random* random, ExampleBuilder* builder) {
  if (!random->OneIn(10)) builder->Int64("age", random->Between(1, 99));
  builder->Int64("id", static_cast<int64_t>(index));
  // Two statements, as the operands of + may be evaluated in any order.
  std::string name = Pick(kFirstNames, random);
  name += " " + Pick(kLastNames, random);
  builder->Bytes("name", name);
  if (random->OneIn(12)) {
    builder->Unset("score");
  } else {
    std::vector<float> scores(random->Below(5));
    for (float& score : scores) score = Cents(random->Between(0, 1000));
    builder->Floats("score", scores);
  }
  if (!random->OneIn(8)) {
    std::vector<std::string> tags(random->Below(4));
    for (std::string& tag : tags) tag = Pick(kTags, random);
    builder->Bytes("tags", tags);
  }
}

struct Movie {
  std::string_view name;
  std::vector<std::string> actors;
};

const std::vector<Movie>& Movies() {
  static const auto* const movies = new std::vector<Movie>{
      {"The Shawshank Redemption", {"Tim Robbins", "Morgan Freeman"}},
      {"Fight Club", {"Brad Pitt", "Edward Norton", "Helena Bonham Carter"}},
      {"Amélie", {"Audrey Tautou", "Mathieu Kassovitz"}},
      {"Das Boot", {"Jürgen Prochnow"}},
      {"Casablanca", {"Humphrey Bogart", "Ingrid Bergman", "Paul Henreid"}},
      {"City of God", {"Alexandre Rodrigues", "Leandro Firmino"}},
      {"Koyaanisqatsi", {}},
      {"千と千尋の神隠し", {"柊瑠美", "入野自由"}},
  };
  return *movies;
}

constexpr std::array<std::string_view, 6> kLocales = {
    "de_DE", "en_US", "ja_JP", "pt_BR", "sw_KE", "zh_CN"};
constexpr std::array<std::string_view, 8> kFavorites = {
    "Björk",         "Caetano Veloso", "Fela Kuti",      "Majesty Rose",
    "One Direction", "Oumou Sangaré",  "Savannah Outen", "宇多田ヒカル"};

// The first record is the SequenceExample in the comments of TensorFlow's
// example.proto.
void BuildMovie(uint64_t index, Random* random, ExampleBuilder* builder) {
  float age = 19.0f;
  std::string locale = "pt_BR";
  std::vector<std::string> favorites = {"Majesty Rose", "Savannah Outen",
                                        "One Direction"};
  std::vector<const Movie*> movies = {&Movies()[0], &Movies()[1]};
  std::vector<float> ratings = {4.5f, 5.0f};
  if (index > 0) {
    age = static_cast<float>(random->Between(12, 90));
    locale = Pick(kLocales, random);
    favorites.resize(random->Below(5));
    for (std::string& favorite : favorites) favorite = Pick(kFavorites, random);
    movies.resize(1 + random->Below(6));
    ratings.resize(movies.size());
    for (const Movie*& movie : movies) {
      movie = &Movies()[random->Below(Movies().size())];
    }
    for (float& rating : ratings) rating = Cents(random->Between(0, 10) * 50);
  }
  builder->Float("age", age);
  builder->Bytes("favorites", favorites);
  builder->Bytes("locale", locale);
  builder->BeginSteps("actors");
  for (const Movie* movie : movies) builder->Bytes("", movie->actors);
  builder->EndSteps();
  builder->BeginSteps("movie_names");
  for (const Movie* movie : movies) builder->Bytes("", movie->name);
  builder->EndSteps();
  builder->BeginSteps("movie_ratings");
  for (const float rating : ratings) builder->Float("", rating);
  builder->EndSteps();
}

void BuildFloats(uint64_t, Random* random, ExampleBuilder* builder) {
  builder->Floats("embedding", Bells(2048, random));
  builder->Int64("label", random->Between(0, 999));
}

void BuildIds(uint64_t, Random* random, ExampleBuilder* builder) {
  for (int i = 0; i < 8; ++i) {
    builder->Int64s(Key("ids_", i), Ids(256, random));
  }
}

void BuildHashes(uint64_t, Random* random, ExampleBuilder* builder) {
  for (int i = 0; i < 2; ++i) {
    std::vector<int64_t> values(128);
    for (int64_t& value : values) value = static_cast<int64_t>(random->Next());
    builder->Int64s(Key("hash_", i), values);
  }
}

void BuildBlob(uint64_t, Random* random, ExampleBuilder* builder) {
  const int64_t height = random->Between(64, 2047);
  const auto size = static_cast<size_t>(random->Between(90 * 1024, 110 * 1024));
  builder->Int64("height", height);
  builder->Bytes("image", RandomBytes(size, random));
  builder->Int64("width", random->Between(64, 2047));
}

// A click log: 13 counts, 26 categories, 27 floats. Keys are in byte order: C1,
// C10, C11 ... C9, F1 ...
void BuildCriteo(uint64_t, Random* random, ExampleBuilder* builder) {
  const auto for_each_sorted = [](int count, auto visit) {
    for (int i = 1; i <= 9; ++i) {
      if (i <= count) visit(i);
      for (int j = 10 * i; j < 10 * i + 10 && j <= count; ++j) visit(j);
    }
  };
  for_each_sorted(26, [&](int i) {
    // Each column draws from its own table, the first rows most often.
    constexpr std::array<uint64_t, 5> kRows = {10, 100, 1000, 10'000, 100'000};
    const auto column = static_cast<uint64_t>(i);
    const uint64_t row = random->LogUniform(kRows[column % kRows.size()]);
    builder->Bytes(Key("C", i), HexWord(Spread(column << 32 | row)));
  });
  for_each_sorted(27,
                  [&](int i) { builder->Float(Key("F", i), random->Bell()); });
  for_each_sorted(13, [&](int i) {
    constexpr std::array<uint64_t, 6> kHighest = {
        100, 1000, 10'000, 100'000, 1'000'000, 10'000'000};
    const uint64_t value =
        random->LogUniform(kHighest[static_cast<size_t>(i) % kHighest.size()]);
    if (random->OneIn(10)) return;
    builder->Int64(Key("I", i), static_cast<int64_t>(value));
  });
}

void BuildScalars(uint64_t, Random* random, ExampleBuilder* builder) {
  for (int i = 0; i < 100; ++i) {
    builder->Float(Key("f", i, "", 3), random->Bell());
  }
}

// Features without values are empty if their number is even, absent if odd.
void BuildRagged(uint64_t, Random* random, ExampleBuilder* builder) {
  for (int i = 0; i < 10; ++i) {
    const size_t count = random->Below(61);
    if (count == 0 && i % 2 == 1) continue;
    if (i < 6) {
      builder->Int64s(Key("r", i, "_ids"), Ids(count, random));
    } else {
      builder->Floats(Key("r", i, "_w"), Bells(count, random));
    }
  }
}

void BuildSequence(uint64_t, Random* random, ExampleBuilder* builder) {
  const uint64_t steps = random->LogUniform(200);
  builder->Bytes("country", HexWord(Spread(random->Below(200))));
  builder->Int64("day", static_cast<int64_t>(random->LogUniform(3650)));
  builder->Int64("user_id", static_cast<int64_t>(random->Next() >> 24));
  builder->Float("weight", Cents(random->Between(0, 100)));
  builder->BeginSteps("emb");
  for (uint64_t i = 0; i < steps; ++i) builder->Floats("", Bells(16, random));
  builder->EndSteps();
  builder->BeginSteps("ids");
  for (uint64_t i = 0; i < steps; ++i) builder->Int64s("", Ids(1, random));
  builder->EndSteps();
  builder->BeginSteps("tokens");
  for (uint64_t i = 0; i < steps; ++i) builder->Bytes("", RandomWord(random));
  builder->EndSteps();
}

// A query and its documents, as in learning to rank.
void BuildElwc(uint64_t, Random* random, ExampleBuilder* builder) {
  constexpr int kDocuments = 100;
  for (int document = 0; document < kDocuments; ++document) {
    builder->Bytes("doc_id", HexWord(random->Next()));
    for (int i = 0; i < 15; ++i) {
      builder->Float(Key("f", i, "", 2), random->Bell());
    }
    for (int i = 0; i < 3; ++i) {
      builder->Int64(Key("n", i, ""),
                     static_cast<int64_t>(random->LogUniform(1'000'000)));
    }
    builder->Int64("relevance", static_cast<int64_t>(random->Below(5)));
    builder->EndExample();
  }
  builder->Int64("length", static_cast<int64_t>(1 + random->Below(20)));
  builder->Bytes("query", RandomWord(random));
}

constexpr Shape kShapes[] = {
    {"people", "names, ages, scores, tags; some absent, unset or empty", 1000,
     BuildPerson},
    {"movie", "the SequenceExample of TensorFlow's documentation", 1000,
     BuildMovie},
    {"floats", "2048 floats and a label", 1000, BuildFloats},
    {"ids", "8 features of 256 small int64", 2000, BuildIds},
    {"hashes", "2 features of 128 int64 over the whole range", 5000,
     BuildHashes},
    {"blobs", "an image of about 100 KiB and its size", 200, BuildBlob},
    {"criteo", "66 scalars: 13 int64, 26 bytes, 27 floats", 20'000,
     BuildCriteo},
    {"scalars", "100 float scalars", 20'000, BuildScalars},
    {"ragged", "10 features of 0 to 60 values", 10'000, BuildRagged},
    {"sequence", "SequenceExamples of 1 to 200 steps", 5000, BuildSequence},
    {"elwc", "lists of 100 Examples of 20 features, with a context", 200,
     BuildElwc},
    {"robot", "a folder of RLDS episodes of 20 to 60 steps with images", 32,
     BuildEpisode, EpisodeFeatures},
};

}  // namespace

std::span<const Shape> Shapes() { return kShapes; }

// The shuffle of Fisher and Yates.
void ShuffleKeys(Random* random, ExampleBuilder* builder) {
  for (size_t i = builder->num_features(); i > 1; --i) {
    builder->Swap(i - 1, random->Below(i));
  }
}

void HashKeys(uint64_t seed, ExampleBuilder* builder) {
  std::vector<uint64_t> hashes(builder->num_features(), seed);
  for (size_t i = 0; i < hashes.size(); ++i) {
    for (const char c : builder->key(i)) {
      hashes[i] = Spread(hashes[i] ^ static_cast<uint8_t>(c));
    }
  }
  for (auto at = hashes.begin(); at != hashes.end(); ++at) {
    const auto least = std::min_element(at, hashes.end());
    builder->Swap(static_cast<size_t>(at - hashes.begin()),
                  static_cast<size_t>(least - hashes.begin()));
    std::swap(*at, *least);
  }
}

void DropKey(Random* random, ExampleBuilder* builder) {
  builder->Drop(random->Below(builder->num_features()));
}

}  // namespace headrace::sample
