// Mutators that know TFRecord, for fuzzers of any reader, not only of
// headrace's. They need only the headers of this folder, and no library.
//
// Blind changes hardly get past checksums and lengths. These mutators change a
// payload and recompute its checksum, or split a message into its fields and
// write it with lengths that fit; now and then they make a length wrong.
//
//   // reader_fuzzer.cc, with -fsanitize=fuzzer
//   #include "headrace/fuzzing.h"
//   HEADRACE_LIBFUZZER_MUTATOR(headrace::fuzzing::InputFormat::kRecords);
//   extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
//
// All functions are pure: equal arguments yield equal results, on any thread.

#ifndef HEADRACE_FUZZING_H_
#define HEADRACE_FUZZING_H_

#if !defined(__cplusplus) || __cplusplus < 202002L
#error "headrace needs C++20: compile with -std=c++20 or later"
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "headrace/fuzzing/messages.h"
#include "headrace/fuzzing/random.h"
#include "headrace/fuzzing/records.h"
#include "headrace/fuzzing/text.h"

namespace headrace::fuzzing {

// The format of an input.
enum class InputFormat : uint8_t {
  kRecords,          // an uncompressed TFRecord file of Examples
  kSequenceRecords,  // an uncompressed TFRecord file of SequenceExamples
  kExample,          // a tf.train.Example; mutations work for any message
  kSequenceExample,  // a tf.train.SequenceExample
  kSpec,             // a feature spec of headrace, as JSON
  kSchema,           // a tensorflow.metadata.v0.Schema, as text
};

// Returns a new input, which readers accept.
inline std::string Generate(InputFormat format, uint64_t seed) {
  static constexpr std::string_view kSpecs[] = {
      R"({"features":[{"name":"age","kind":"fixed_len","dtype":"int64",)"
      R"("shape":[2],"default":[1,2]}]})",
      R"({"features":[{"name":"ids","kind":"var_len","dtype":"int64",)"
      R"("pad_to":4},{"name":"name","kind":"ragged","dtype":"bytes"}]})",
      R"({"message":"sequence_example","features":[],"sequence_features":)"
      R"([{"name":"ids","kind":"fixed_len_sequence","dtype":"float",)"
      R"("shape":[3],"allow_missing":true}]})"};
  static constexpr std::string_view kSchemas[] = {
      R"(feature { name: "age" type: INT presence { min_fraction: 1 }
         shape { dim { size: 2 } } int_domain { min: 0 max: 9 } })",
      R"(feature { name: "name" type: BYTES value_count { min: 0 max: 3 } }
         represent_variable_length_as_ragged: true)",
      R"(feature { name: "##SEQUENCE##" type: STRUCT struct_domain {
         feature { name: "ids" type: FLOAT } } })"};
  Choice choice(seed);
  MessageMaker maker(&choice);
  const bool is_sequence = format == InputFormat::kSequenceRecords ||
                           format == InputFormat::kSequenceExample;
  const auto message = [&] {
    return is_sequence ? maker.SequenceExample() : maker.Example();
  };
  switch (format) {
    case InputFormat::kRecords:
    case InputFormat::kSequenceRecords: {
      std::string file;
      for (size_t i = 1 + choice.Below(4); i > 0; --i)
        file += Framed(message());
      return file;
    }
    case InputFormat::kExample:
    case InputFormat::kSequenceExample:
      return message();
    case InputFormat::kSpec:
      return std::string(kSpecs[choice.Below(std::size(kSpecs))]);
    case InputFormat::kSchema:
      return std::string(kSchemas[choice.Below(std::size(kSchemas))]);
  }
  return std::string();
}

// Returns this input, which may have any bytes, with a few changes. Replaces an
// empty input, and now and then any other input, with a new one.
inline std::string Mutate(InputFormat format, std::string_view input,
                          uint64_t seed) {
  Choice choice(seed);
  if (input.empty() || choice.OneIn(32)) {
    return Generate(format, choice.Bits());
  }
  switch (format) {
    case InputFormat::kRecords:
    case InputFormat::kSequenceRecords: {
      const InputFormat payload = format == InputFormat::kRecords
                                      ? InputFormat::kExample
                                      : InputFormat::kSequenceExample;
      return RecordsMutator::Mutate(
          input, &choice, [&] { return Generate(payload, choice.Bits()); },
          [&](std::string_view old) {
            return MessageMutator(&choice).Mutate(old);
          });
    }
    case InputFormat::kExample:
    case InputFormat::kSequenceExample:
      return MessageMutator(&choice).Mutate(input);
    case InputFormat::kSpec:
    case InputFormat::kSchema:
      return TextMutator::Mutate(input, &choice);
  }
  return std::string(input);
}

// Returns an input with parts of both.
inline std::string CrossOver(InputFormat format, std::string_view first,
                             std::string_view second, uint64_t seed) {
  Choice choice(seed);
  switch (format) {
    case InputFormat::kRecords:
    case InputFormat::kSequenceRecords: {
      std::string crossed;
      for (const std::string_view file : {first, second}) {
        for (const std::string& piece : Pieces(file)) {
          if (choice.OneIn(2)) crossed += piece;
        }
      }
      return crossed;
    }
    case InputFormat::kExample:
    case InputFormat::kSequenceExample:
      return MessageMutator(&choice).Cross(first, second);
    case InputFormat::kSpec:
    case InputFormat::kSchema:
      break;
  }
  return std::string(first.substr(0, choice.Below(first.size() + 1))) +
         std::string(second.substr(choice.Below(second.size() + 1)));
}

// Copies at most `room` bytes, and returns their number.
inline size_t CopyInput(std::string_view input, uint8_t* to, size_t room) {
  const size_t size = std::min(input.size(), room);
  std::copy_n(input.begin(), size, to);
  return size;
}

inline std::string_view ViewOf(const uint8_t* data, size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// The state of an AFL++ mutator. Only one thread uses it.
struct AflState {
  uint64_t seed = 0;
  std::string output;
};

}  // namespace headrace::fuzzing

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

// Defines LLVMFuzzerCustomMutator and LLVMFuzzerCustomCrossOver. One change in
// three is libFuzzer's own, which uses its dictionary.
#define HEADRACE_LIBFUZZER_MUTATOR(FORMAT)                                    \
  extern "C" size_t LLVMFuzzerCustomMutator(                                  \
      uint8_t* data, size_t size, size_t max_size, unsigned int seed) {       \
    if (size > 0 && seed % 3 == 0) {                                          \
      return LLVMFuzzerMutate(data, size, max_size);                          \
    }                                                                         \
    return headrace::fuzzing::CopyInput(                                      \
        headrace::fuzzing::Mutate(                                            \
            FORMAT, headrace::fuzzing::ViewOf(data, size), seed),             \
        data, max_size);                                                      \
  }                                                                           \
  extern "C" size_t LLVMFuzzerCustomCrossOver(                                \
      const uint8_t* data1, size_t size1, const uint8_t* data2, size_t size2, \
      uint8_t* out, size_t max_out_size, unsigned int seed) {                 \
    return headrace::fuzzing::CopyInput(                                      \
        headrace::fuzzing::CrossOver(                                         \
            FORMAT, headrace::fuzzing::ViewOf(data1, size1),                  \
            headrace::fuzzing::ViewOf(data2, size2), seed),                   \
        out, max_out_size);                                                   \
  }                                                                           \
  static_assert(true)

// Defines afl_custom_init, afl_custom_fuzz and afl_custom_deinit, for a shared
// library that the variable AFL_CUSTOM_MUTATOR_LIBRARY names.
#define HEADRACE_AFL_MUTATOR(FORMAT)                                           \
  extern "C" void* afl_custom_init(void* /*afl*/, unsigned int seed) {         \
    return new headrace::fuzzing::AflState{.seed = seed, .output = {}};        \
  }                                                                            \
  extern "C" size_t afl_custom_fuzz(void* data, uint8_t* buf, size_t buf_size, \
                                    uint8_t** out_buf, uint8_t* add_buf,       \
                                    size_t add_buf_size, size_t max_size) {    \
    auto* const state = static_cast<headrace::fuzzing::AflState*>(data);       \
    const auto input = headrace::fuzzing::ViewOf(buf, buf_size);               \
    const uint64_t seed = ++state->seed;                                       \
    state->output =                                                            \
        add_buf != nullptr && add_buf_size > 0 && seed % 8 == 0                \
            ? headrace::fuzzing::CrossOver(                                    \
                  FORMAT, input,                                               \
                  headrace::fuzzing::ViewOf(add_buf, add_buf_size), seed)      \
            : headrace::fuzzing::Mutate(FORMAT, input, seed);                  \
    state->output.resize(std::min(state->output.size(), max_size));            \
    *out_buf = reinterpret_cast<uint8_t*>(state->output.data());               \
    return state->output.size();                                               \
  }                                                                            \
  extern "C" void afl_custom_deinit(void* data) {                              \
    delete static_cast<headrace::fuzzing::AflState*>(data);                    \
  }                                                                            \
  static_assert(true)

#endif  // HEADRACE_FUZZING_H_
