// Whatever a file of records is stored in, its records are the same, and what
// is damaged is said: every form x records x damage x named or found x policy.

#include <algorithm>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "headrace/record_reader.h"
#include "src/input/compression/detect.h"
#include "tests/compression/stored.h"
#include "tests/record/scan.h"
#include "tests/support/effort.h"
#include "tests/support/record_file.h"

namespace headrace::testing {
namespace {

using compression::Bytes;
using compression::Gzip;
using compression::Snappy;
using compression::Zlib;
using compression::Zstd;

// `parts` pieces of `plain`, each stored by itself, so that records straddle.
template <class Store>
std::string InParts(const std::string& plain, size_t parts, Store store) {
  std::string stored;
  for (size_t i = 0; i < parts; ++i) {
    const size_t begin = plain.size() * i / parts;
    const size_t end = plain.size() * (i + 1) / parts;
    stored += store(plain.substr(begin, end - begin));
  }
  return stored;
}

std::string Unsummed(const std::string& plain) { return Zstd(plain, 3, false); }

struct Form {
  const char* name;
  Compression compression;
  std::string (*store)(const std::string& plain);
  // Damage of these first bytes may hide what the file is.
  size_t magic;
  // So may a cut to fewer bytes.
  size_t least;
  // It may end behind each of its parts.
  bool has_parts;
  bool has_checksum = true;
};

const Form kForms[] = {
    {"gzip", Compression::kGzip, [](const std::string& p) { return Gzip(p); },
     3, 3, false},
    {"gzip members", Compression::kGzip,
     [](const std::string& p) {
       return InParts(p, 3, [](const std::string& s) { return Gzip(s); });
     },
     3, 3, true},
    {"zlib", Compression::kZlib, [](const std::string& p) { return Zlib(p); },
     2, 8, false},
    {"zlib, stored", Compression::kZlib,
     [](const std::string& p) { return Zlib(p, 0); }, 2, 8, false},
    {"snappy", Compression::kSnappy,
     [](const std::string& p) { return Snappy(p); }, 6, 6, true, false},
    {"snappy, small blocks", Compression::kSnappy,
     [](const std::string& p) { return Snappy(p, 11); }, 6, 6, true, false},
    {"zstd", Compression::kZstd, [](const std::string& p) { return Zstd(p); },
     4, 4, false},
    {"zstd without checksum", Compression::kZstd, Unsummed, 4, 4, false, false},
    {"zstd frames", Compression::kZstd,
     [](const std::string& p) {
       return InParts(p, 3, [](const std::string& s) { return Zstd(s); });
     },
     4, 4, true},
    {"zstd frames without checksum", Compression::kZstd,
     [](const std::string& p) { return InParts(p, 3, Unsummed); }, 4, 4, true,
     false},
};

std::vector<std::string> Payloads(size_t count) {
  std::vector<std::string> payloads;
  for (size_t i = 0; i < count; ++i) {
    payloads.push_back("record " + std::to_string(i) +
                       std::string(i * 7 % 40, static_cast<char>('a' + i % 9)));
  }
  return payloads;
}
constexpr size_t kCounts[] = {0, 1, 30};

// What a file gives.
struct Reading {
  std::vector<std::string> records;
  std::vector<SkippedRegion> regions;
  Status status;

  bool operator==(const Reading& other) const {
    return records == other.records && regions == other.regions &&
           status.code() == other.status.code() &&
           (status.ok() ||
            status.info()->offset == other.status.info()->offset);
  }
};

std::ostream& operator<<(std::ostream& out, const Reading& reading) {
  out << reading.records.size() << " records, ";
  for (const SkippedRegion& region : reading.regions) {
    out << "[" << region.begin << ", " << region.end << ") "
        << NameOf(region.reason) << ", ";
  }
  return out << reading.status.ToString();
}

Reading Read(const std::string& stored, Compression compression,
             OnCorrupt on_corrupt) {
  Reading reading;
  auto reader = RecordReader::FromMemory(
      stored, {.compression = compression, .on_corrupt = on_corrupt});
  if (!reader.ok()) {
    reading.status = reader.status();
    return reading;
  }
  for (;;) {
    auto record = reader->Next();
    reading.status = record.status();
    if (!record) break;
    reading.records.emplace_back(record->payload);
  }
  reading.regions = reader->skipped();
  return reading;
}

// Content that is damaged before it is stored, so that the container is whole.
std::vector<std::string> Contents(size_t count) {
  const DamagedFile whole(Payloads(count));
  std::vector<std::string> contents = {whole.bytes()};
  const auto add = [&](auto damage) {
    DamagedFile file = whole;
    damage(&file);
    contents.push_back(file.bytes());
  };
  if (count > 0) {
    for (size_t i = 0; i < 12; ++i) {
      add([i](DamagedFile* file) { file->FlipByte(i); });
    }
    add([&](DamagedFile* file) { file->FlipByte(20); });
    add([&](DamagedFile* file) { file->FlipByte(file->size() - 1); });
    add([&](DamagedFile* file) { file->Insert(0, whole.bytes()); });
    for (const size_t size : {size_t{1}, size_t{5}, size_t{11}, size_t{12},
                              size_t{13}, whole.size() / 2, whole.size() - 1}) {
      add([size](DamagedFile* file) { file->CutTo(size); });
    }
  }
  for (const std::string& behind :
       {std::string("garbage, and some more of it"), std::string(40, '\0')}) {
    add([&](DamagedFile* file) { file->Append(behind); });
  }
  return contents;
}

// A whole container changes nothing, however it is damaged inside.
TEST(Containers, WholeOnesHideNothing) {
  for (const size_t count : kCounts) {
    for (const std::string& content : Contents(count)) {
      for (const OnCorrupt policy : kPolicies) {
        const Reading expected = Read(content, Compression::kNone, policy);
        EXPECT_EQ(Read(content, Compression::kAuto, policy), expected);
        for (const Form& form : kForms) {
          const std::string stored = form.store(content);
          EXPECT_EQ(Read(stored, form.compression, policy), expected)
              << form.name;
          EXPECT_EQ(Read(stored, Compression::kAuto, policy), expected)
              << form.name << ", found, " << count << ": "
              << content.substr(0, 12);
        }
      }
    }
  }
}

bool IsTold(const std::string& stored, Compression compression) {
  const auto head =
      Bytes(stored).first(std::min(stored.size(), compression::kDetectBytes));
  return *compression::DetectCompression(head) == compression;
}

bool IsFinding(const Reading& reading) {
  return !reading.status.ok() || !reading.regions.empty();
}

// What is given was written. Whether all of it was, where nothing is found,
// only a checksum tells: a damaged copy may repeat a whole record.
void CheckDamaged(const Form& form, const std::string& stored,
                  const std::vector<std::string>& records, bool is_told,
                  bool may_be_silent) {
  if (is_told) {
    EXPECT_TRUE(IsTold(stored, form.compression));
  }
  for (const OnCorrupt policy : kPolicies) {
    const Reading named = Read(stored, form.compression, policy);
    const Reading found = Read(stored, Compression::kAuto, policy);
    if (is_told) {
      EXPECT_EQ(found, named);
    }
    for (const Reading& reading : {named, found}) {
      for (const std::string& record : reading.records) {
        EXPECT_NE(std::find(records.begin(), records.end(), record),
                  records.end());
      }
      if (reading.records != records && !may_be_silent) {
        EXPECT_TRUE(IsFinding(reading)) << reading;
      }
    }
  }
}

TEST(Containers, DamageIsNeverSilent) {
  for (const Form& form : kForms) {
    for (const size_t count : {size_t{1}, size_t{30}}) {
      const std::vector<std::string> records = Payloads(count);
      const std::string stored = form.store(RecordFile(records));
      SCOPED_TRACE(std::string(form.name) + ", " + std::to_string(count));
      for (size_t i = 0; i < stored.size(); i += kCaseStride) {
        for (const int mask : {1, 2, 4, 8, 16, 32, 64, 128, 255}) {
          if (i > 30 && mask != 255 && mask != 1 << i % 8) continue;
          SCOPED_TRACE(std::to_string(i) + " ^ " + std::to_string(mask));
          std::string damaged = stored;
          damaged[i] = static_cast<char>(damaged[i] ^ mask);
          CheckDamaged(form, damaged, records, i >= form.magic,
                       !form.has_checksum);
        }
      }
      for (size_t size = 1; size < stored.size(); ++size) {
        SCOPED_TRACE("cut to " + std::to_string(size));
        CheckDamaged(form, stored.substr(0, size), records, size >= form.least,
                     form.has_parts);
      }
    }
  }
}

TEST(Containers, WhatFollowsIsAFinding) {
  for (const Form& form : kForms) {
    for (const size_t count : kCounts) {
      const std::vector<std::string> records = Payloads(count);
      const std::string plain = RecordFile(records);
      for (const std::string& behind :
           {std::string("x"), std::string(16, '\0'), std::string("some text"),
            RecordFile(Payloads(2))}) {
        // Without content snappy has no bytes that could be followed.
        const std::string stored = form.store(plain) + behind;
        if (form.compression == Compression::kSnappy && count == 0) continue;
        for (const OnCorrupt policy : kPolicies) {
          const Reading named = Read(stored, form.compression, policy);
          EXPECT_EQ(named.records, records) << form.name;
          const bool is_left_out = policy == OnCorrupt::kRescan;
          EXPECT_EQ(named.status.code(),
                    is_left_out ? ErrorCode::kOk : ErrorCode::kDecompress)
              << form.name;
          EXPECT_EQ(named.regions.size(), is_left_out ? 1u : 0u);
          for (const SkippedRegion& rest : named.regions) {
            EXPECT_EQ(rest.begin, plain.size()) << form.name;
            EXPECT_EQ(rest.end, kUnknown);
            EXPECT_EQ(rest.reason, ErrorCode::kDecompress);
          }
          EXPECT_EQ(Read(stored, Compression::kAuto, policy), named)
              << form.name;
        }
      }
    }
  }
}

// Where records and the parts of a container end at the same byte, nothing
// says how many parts there were, nor which (docs/formats/tfrecord.md).
TEST(Containers, WhatCannotBeKnown) {
  const std::vector<std::string> records = Payloads(3);
  for (const Form& form : kForms) {
    std::string parts[3];
    for (size_t i = 0; i < 3; ++i)
      parts[i] = form.store(RecordFile({records[i]}));
    const bool is_one = form.compression == Compression::kZlib;
    for (const Compression compression :
         {form.compression, Compression::kAuto}) {
      const Reading cut =
          Read(parts[0] + parts[1], compression, OnCorrupt::kFail);
      EXPECT_EQ(cut.status.ok(), !is_one) << form.name;
      EXPECT_EQ(cut.records.size(), is_one ? 1u : 2u);
      const Reading repeated = Read(parts[0] + parts[1] + parts[1] + parts[2],
                                    compression, OnCorrupt::kFail);
      EXPECT_EQ(repeated.status.ok(), !is_one) << form.name;
      EXPECT_EQ(repeated.records.size(), is_one ? 1u : 4u);
    }
  }
}

}  // namespace
}  // namespace headrace::testing
