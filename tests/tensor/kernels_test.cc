// The kernels that write tensors against loops over values, on every target,
// with the slack that they may read and write flush against a guard page.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "src/decode/tensor/coordinates.h"
#include "src/decode/tensor/padding.h"
#include "tests/support/each_target.h"
#include "tests/support/guarded_bytes.h"

namespace headrace::testing {
namespace {

constexpr char kUntouched = 0x5A;
constexpr size_t kMaxBytes = size_t{1} << 20;

class RandomLists {
 public:
  explicit RandomLists(uint64_t seed) : random_(seed) {}

  size_t Below(size_t limit) { return random_() % limit; }
  // Lists of less than `limit` values; many are empty, or as long as can be.
  std::vector<int32_t> Offsets(size_t rows, size_t limit) {
    std::vector<int32_t> offsets = {0};
    for (size_t i = 0; i < rows; ++i) {
      const size_t size = Below(4) == 0   ? 0
                          : Below(4) == 0 ? limit - 1
                                          : Below(limit);
      offsets.push_back(offsets.back() + static_cast<int32_t>(size));
    }
    return offsets;
  }
  std::string Bytes(size_t size) {
    std::string bytes(size, '\0');
    for (char& c : bytes) c = static_cast<char>(random_());
    return bytes;
  }

 private:
  std::mt19937_64 random_;
};

// Memory of a tensor, which may be overwritten up to its slack, no further.
class GuardedTensor {
 public:
  GuardedTensor() : bytes_(kMaxBytes + 4096) {}

  uint8_t* Place(size_t size, size_t slack) {
    // The kernels take memory of an arena.
    size_ = (size + slack + 63) / 64 * 64;
    const std::string fresh(size_, kUntouched);
    placed_ = bytes_.PlaceAtEnd(fresh);
    return reinterpret_cast<uint8_t*>(const_cast<char*>(placed_.data()));
  }
  std::string_view First(size_t size) const { return placed_.substr(0, size); }
  bool IsUntouchedFrom(size_t place) const {
    return placed_.find_first_not_of(kUntouched, place) ==
           std::string_view::npos;
  }

 private:
  GuardedBytes bytes_;
  std::string_view placed_;
  size_t size_ = 0;
};

struct PaddingCase {
  std::vector<int32_t> offsets;
  size_t value_size = 0;
  size_t unit_size = 0;
  size_t row_size = 0;
};

std::string NaivePadded(const PaddingCase& padding, std::string_view values,
                        std::string_view fill) {
  std::string padded;
  for (size_t row = 0; row + 1 < padding.offsets.size(); ++row) {
    const auto begin = static_cast<size_t>(padding.offsets[row]);
    const auto end = static_cast<size_t>(padding.offsets[row + 1]);
    std::string bytes(values.substr(begin * padding.unit_size,
                                    (end - begin) * padding.unit_size));
    while (bytes.size() < padding.row_size) bytes += fill;
    padded += bytes.substr(0, padding.row_size);
  }
  return padded;
}

class PaddingCheck {
 public:
  void Check(const PaddingCase& padding) {
    const size_t rows = padding.offsets.size() - 1;
    const std::string bytes = random_.Bytes(
        static_cast<size_t>(padding.offsets.back()) * padding.unit_size);
    const std::string fill = random_.Bytes(padding.value_size);
    std::string fills;
    while (fills.size() < tensor::kFillSize) fills += fill;
    const std::string_view values =
        values_.PlaceAtEnd(bytes, tensor::kPaddingSlack);
    const std::string wanted = NaivePadded(padding, values, fill);
    for (const bool streams : {false, true}) {
      uint8_t* const out = tensor_.Place(wanted.size(), tensor::kPaddingSlack);
      tensor::WritePadded(
          {.offsets = padding.offsets.data(),
           .rows = rows,
           .unit_size = padding.unit_size,
           .values = reinterpret_cast<const uint8_t*>(values.data()),
           .row_size = padding.row_size,
           .fill = reinterpret_cast<const uint8_t*>(fills.data())},
          streams, out);
      ASSERT_TRUE(tensor_.First(wanted.size()) == wanted)
          << streams << ": " << rows << " rows of " << padding.row_size
          << " bytes, units of " << padding.unit_size;
      ASSERT_TRUE(
          tensor_.IsUntouchedFrom(wanted.size() + tensor::kPaddingSlack));
    }
  }

 private:
  RandomLists random_{1};
  GuardedBytes values_{kMaxBytes};
  GuardedTensor tensor_;
};

TEST(TensorKernels, RowsArePadded) {
  ForEachTarget([] {
    RandomLists random(2);
    PaddingCheck check;
    for (int i = 0; i < 600; ++i) {
      PaddingCase padding;
      padding.value_size = size_t{1} << random.Below(5);
      padding.unit_size = padding.value_size * (1 + random.Below(20));
      const size_t most_units = 1 + random.Below(40);
      padding.offsets = random.Offsets(random.Below(12), most_units);
      // As long as the longest row, or shorter, or longer.
      const size_t units =
          random.Below(3) == 0 ? random.Below(2 * most_units) : most_units - 1;
      padding.row_size = units * padding.unit_size;
      ASSERT_NO_FATAL_FAILURE(check.Check(padding));
    }
  });
}

TEST(TensorKernels, LongRowsArePadded) {
  ForEachTarget([] {
    RandomLists random(3);
    PaddingCheck check;
    for (const size_t value_size : {1u, 2u, 4u, 8u, 16u}) {
      for (const size_t row_size : {64u, 80u, 1008u, 12800u, 52432u}) {
        PaddingCase padding;
        padding.value_size = value_size;
        padding.unit_size = value_size * (1 + random.Below(3));
        padding.row_size = row_size;
        padding.offsets =
            random.Offsets(/*rows=*/15, row_size / padding.unit_size + 1);
        ASSERT_NO_FATAL_FAILURE(check.Check(padding));
      }
    }
  });
}

TEST(TensorKernels, CoordinatesOfValues) {
  ForEachTarget([] {
    RandomLists random(4);
    GuardedTensor tensor;
    for (int i = 0; i < 400; ++i) {
      const size_t rows = random.Below(20);
      const auto offsets = random.Offsets(rows, 1 + random.Below(30));
      std::vector<int64_t> wanted;
      for (size_t row = 0; row < rows; ++row) {
        for (int32_t k = 0; k < offsets[row + 1] - offsets[row]; ++k) {
          wanted.push_back(static_cast<int64_t>(row));
          wanted.push_back(k);
        }
      }
      const size_t size = wanted.size() * sizeof(int64_t);
      auto* const out = reinterpret_cast<int64_t*>(
          tensor.Place(size, tensor::kCoordinateSlack * sizeof(int64_t)));
      tensor::WriteCoordinates(offsets.data(), rows, out);
      const std::vector<int64_t> found(out, out + wanted.size());
      ASSERT_EQ(found, wanted) << i;
      ASSERT_TRUE(tensor.IsUntouchedFrom(size + tensor::kCoordinateSlack *
                                                    sizeof(int64_t)));
    }
  });
}

TEST(TensorKernels, CoordinatesOfValuesOfSteps) {
  RandomLists random(5);
  for (int i = 0; i < 400; ++i) {
    const size_t rows = random.Below(10);
    const auto offsets = random.Offsets(rows, 1 + random.Below(6));
    const auto steps = random.Offsets(static_cast<size_t>(offsets.back()),
                                      1 + random.Below(4));
    std::vector<int64_t> wanted;
    size_t longest = 0;
    for (size_t row = 0; row < rows; ++row) {
      for (int32_t step = offsets[row]; step < offsets[row + 1]; ++step) {
        const auto at = static_cast<size_t>(step);
        const int32_t size = steps[at + 1] - steps[at];
        longest = std::max(longest, static_cast<size_t>(size));
        for (int32_t k = 0; k < size; ++k) {
          wanted.push_back(static_cast<int64_t>(row));
          wanted.push_back(step - offsets[row]);
          wanted.push_back(k);
        }
      }
    }
    std::vector<int64_t> found(wanted.size());
    EXPECT_EQ(tensor::WriteStepCoordinates(offsets.data(), steps.data(), rows,
                                           found.data()),
              longest);
    ASSERT_EQ(found, wanted) << i;
  }
}

}  // namespace
}  // namespace headrace::testing
