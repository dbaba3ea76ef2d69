// Makes sample data with one function per shape, for `headrace gen`. Benchmarks
// measure on the same records.

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
  // depends on seed and index alone, so a longer file begins with a shorter
  // one.
  void (*build)(uint64_t index, Random* random, ExampleBuilder* builder);
  // Makes features.json; the records of such a shape are in a folder of TFDS.
  std::string (*features)() = nullptr;
};

std::span<const Shape> Shapes();

void ShuffleKeys(Random* random, ExampleBuilder* builder);
// Keys come in one order, which has nothing to do with their names, as maps of
// one seed leave them.
void HashKeys(uint64_t seed, ExampleBuilder* builder);
// The record lacks one of its features then.
void DropKey(Random* random, ExampleBuilder* builder);

}  // namespace headrace::sample

#endif  // HEADRACE_SRC_SAMPLE_SHAPES_H_
