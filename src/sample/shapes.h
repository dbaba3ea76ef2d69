// Makes sample data, one function per shape, for `headrace gen`. Benchmarks use
// the same records.

#ifndef HEADRACE_SRC_SAMPLE_SHAPES_H_
#define HEADRACE_SRC_SAMPLE_SHAPES_H_

#include <cstdint>
#include <span>
#include <string>

#include "src/sample/example_builder.h"
#include "src/sample/random.h"

namespace headrace::sample {

struct Shape {
  const char* name;
  const char* text;  // for the help
  uint64_t records;  // default number
  // Adds the features of record `index`, in the order of their keys. A record
  // depends only on seed and index, so a shorter file is a prefix of a longer
  // one.
  void (*build)(uint64_t index, Random* random, ExampleBuilder* builder);
  // Returns features.json; null if the records are not for a folder of TFDS.
  std::string (*features)() = nullptr;
};

std::span<const Shape> Shapes();

void ShuffleKeys(Random* random, ExampleBuilder* builder);
// Puts the keys in an order that depends on hashes of their names, like a hash
// map with this seed.
void HashKeys(uint64_t seed, ExampleBuilder* builder);
// Removes one random feature.
void DropKey(Random* random, ExampleBuilder* builder);

}  // namespace headrace::sample

#endif  // HEADRACE_SRC_SAMPLE_SHAPES_H_
