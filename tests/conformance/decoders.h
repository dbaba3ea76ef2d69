// What decoders make of the records of a case, in every way there is.

#ifndef HEADRACE_TESTS_CONFORMANCE_DECODERS_H_
#define HEADRACE_TESTS_CONFORMANCE_DECODERS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "headrace/decoder.h"
#include "headrace/plan.h"
#include "tests/conformance/cases.h"
#include "tests/conformance/padded_records.h"
#include "tests/naive/batch_columns.h"
#include "tests/naive/batch_tensors.h"

namespace headrace::conformance {

using Records = std::vector<std::string_view>;

inline const DecodeOptions kStrict{.verify_unselected = true};

// Which records are whole, and the indices of the others.
struct Sorted {
  Records good;
  std::vector<uint64_t> bad;
};

// By whether each decodes alone.
inline Sorted Sort(const Plan& plan, const Records& records) {
  Sorted sorted;
  Decoder decoder(plan, kStrict);
  for (size_t i = 0; i < records.size(); ++i) {
    if (decoder.Decode({&records[i], 1}).ok()) {
      sorted.good.push_back(records[i]);
    } else {
      sorted.bad.push_back(i);
    }
  }
  return sorted;
}

inline std::string CompareSkipped(const std::vector<Status>& skipped,
                                  const std::vector<uint64_t>& bad) {
  if (skipped.size() != bad.size()) {
    return std::to_string(skipped.size()) + " records skipped instead of " +
           std::to_string(bad.size());
  }
  for (size_t i = 0; i < bad.size(); ++i) {
    if (skipped[i].ok() || skipped[i].info()->record != bad[i]) {
      return "another record skipped than " + std::to_string(bad[i]);
    }
  }
  return {};
}

// Naive is NaiveResult or NaiveTensors, and `read` makes it of a batch.
template <class Naive>
class DecoderCase {
 public:
  using Read = Naive (*)(const Result<Batch>&);

  DecoderCase(const Plan& plan, const Records& records, const Sorted& sorted,
              Read read)
      : plan_(plan), records_(records), sorted_(sorted), read_(read) {}

  // The difference to what is expected; empty for none.
  std::string Compare(const Naive& expected, int threads) const {
    Decoder decoder(plan_, kStrict);
    const Result<Batch> result = decoder.Decode(records_);
    std::string difference = testing::Difference(expected, result);
    if (!difference.empty()) return Labelled("decoder", difference);

    const PaddedRecords padded(records_);
    Decoder in_place(plan_, {.verify_unselected = true, .padded_input = true});
    difference = testing::Difference(expected, in_place.Decode(padded.views()));
    if (!difference.empty()) return Labelled("padded input", difference);
    difference = CompareGoodRows(&decoder);
    return difference.empty() ? CompareThreads(result, threads) : difference;
  }

 private:
  // A decoder that has just failed gives what a fresh one gives, and skipping
  // bad rows gives what is left without them.
  std::string CompareGoodRows(Decoder* used) const {
    Decoder fresh(plan_, kStrict);
    const Result<Batch> good = fresh.Decode(sorted_.good);
    // Lists that are good one by one may not make a batch.
    if (!good.ok() && IsListOfExamples(plan_.message())) return {};
    if (!good.ok()) return Labelled("good rows", good.status().ToString());
    const Naive expected = read_(good);
    std::string difference =
        testing::Difference(expected, used->Decode(sorted_.good));
    if (!difference.empty()) return Labelled("after an error", difference);

    for (bool padded : {false, true}) {
      Decoder skipper(plan_, {.on_row_error = OnRowError::kSkip,
                              .verify_unselected = true,
                              .padded_input = padded});
      const PaddedRecords in_place(records_);
      difference =
          testing::Difference(expected, skipper.Decode(in_place.views()));
      if (difference.empty()) {
        difference = CompareSkipped(skipper.skipped(), sorted_.bad);
      }
      if (!difference.empty()) return Labelled("skipping", difference);
    }
    return {};
  }

  // Every thread says the same as this one, to the letter of an error.
  std::string CompareThreads(const Result<Batch>& expected, int threads) const {
    if (threads <= 1) return {};
    std::vector<std::string> differences(static_cast<size_t>(threads));
    std::vector<std::thread> workers;
    for (std::string& difference : differences) {
      workers.emplace_back([&] {
        Decoder decoder(plan_, kStrict);
        const Result<Batch> actual = decoder.Decode(records_);
        difference = testing::Difference(read_(expected), actual);
        if (difference.empty()) {
          difference = testing::Difference(expected.status(), actual.status());
        }
      });
    }
    for (std::thread& worker : workers) worker.join();
    for (const std::string& difference : differences) {
      if (!difference.empty()) return Labelled("on threads", difference);
    }
    return {};
  }

  const Plan& plan_;
  const Records& records_;
  const Sorted& sorted_;
  const Read read_;
};

}  // namespace headrace::conformance

#endif  // HEADRACE_TESTS_CONFORMANCE_DECODERS_H_
