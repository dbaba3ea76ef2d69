// The families of protobuf's conformance suite as rows.

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/agreement/decode_agreement.h"
#include "tests/support/wire_families.h"

namespace headrace::testing {
namespace {

void Append(const std::vector<Specimen>& specimens,
            std::vector<std::string>* records) {
  for (const Specimen& specimen : specimens) records->push_back(specimen.bytes);
}

TEST(DecodeFamilies, OddFieldsAtEveryLevel) {
  std::vector<std::string> records;
  for (const Level& level : Levels()) {
    if (level.type != MessageType::kExample) continue;
    Append(RejectedAt(level), &records);
    Append(AcceptedAt(level), &records);
  }
  // As "a" is read as int64, float, bytes, nothing, and not at all.
  for (const std::vector<ColumnField>& columns :
       {UsualColumns(),
        std::vector<ColumnField>{{"a", Kind::kFloat}, {"z", Kind::kInt64}},
        std::vector<ColumnField>{{"z", Kind::kFloat}, {"a", Kind::kBytes}},
        std::vector<ColumnField>{{"a", Kind::kNull}},
        std::vector<ColumnField>{}}) {
    DecodeAgreement().CheckSingly(columns, records, Effort::kQuick);
  }
}

TEST(DecodeFamilies, RecordsOfSpecificMeaning) {
  std::vector<std::string> records;
  Append(RejectedRecords(), &records);
  Append(AcceptedRecords(), &records);
  DecodeAgreement().CheckSingly(UsualColumns(), records);
  DecodeAgreement().CheckSingly({{"b", Kind::kBytes}, {"a", Kind::kFloat}},
                                records);
  DecodeAgreement().CheckSingly({{"a", Kind::kBytes}}, records);
}

// All as one batch: each row must leave no trace in the next.
TEST(DecodeFamilies, AsOneBatch) {
  std::vector<std::string> records;
  for (const Specimen& specimen : AcceptedRecords()) {
    records.push_back(specimen.bytes);
    for (const Specimen& bad : RejectedRecords()) {
      if (records.size() % 7 == 0) records.push_back(bad.bytes);
    }
  }
  DecodeAgreement().Check(UsualColumns(), {records});
}

TEST(DecodeFamilies, EveryFlipAndCut) {
  std::vector<std::string> records;
  for (const Specimen& specimen : AcceptedRecords()) {
    if (specimen.bytes.size() > 50) continue;
    std::string bytes = specimen.bytes;
    for (size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
      const auto mask = static_cast<char>(1 << (bit % 8));
      bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ mask);
      records.push_back(bytes);
      bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ mask);
    }
    for (size_t size = 0; size < bytes.size(); ++size) {
      records.push_back(bytes.substr(0, size));
    }
  }
  DecodeAgreement().CheckSingly(UsualColumns(), records, Effort::kQuick);
}

}  // namespace
}  // namespace headrace::testing
