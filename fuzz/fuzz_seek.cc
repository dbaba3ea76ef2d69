// A compressed file, which the input makes or is, with its seek table; then
// bytes of the file, and numbers of the table, are others. In order the file
// gives what inflating it from its beginning gives, whatever the table says.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fuzz/fuzzing.h"
#include "src/input/blocks/seekable_stream.h"
#include "src/input/compression/decompressor.h"
#include "src/input/deflate/seek_table.h"
#include "src/input/source/streams.h"
#include "tests/compression/seek_files.h"
#include "tests/compression/stored.h"

namespace headrace::fuzzing {
namespace {

using compression::InflateLibrary;
using compression::Outcome;
using compression::Pieces;
using compression::SeekableStream;
using compression::SeekFile;
using compression::SeekPoint;
using compression::SeekTable;
using compression::Split;

using Table = std::shared_ptr<const SeekTable>;

constexpr size_t kChoices = 8;
constexpr size_t kChangeBytes = 4;
// A kilobyte may become a megabyte.
constexpr uint64_t kMaxOutput = uint64_t{1} << 20;
// So small that a file of two windows has several points.
constexpr uint64_t kSpacing = 8000;
constexpr size_t kForms = 10;

// A file as it was written, and what can be known of it.
struct Specimen {
  SeekFile file;
  std::vector<Table> tables;
};

SeekFile NewFile(size_t form, const std::string& plain) {
  constexpr int kFullFlush = 3;
  constexpr int kGzip = 31;
  constexpr int kZlib = 15;
  constexpr int kSmallBlocks = 1;  // as memLevel
  const Pieces pieces =
      plain.empty() ? Pieces{""} : Split(plain, plain.size() / 5 + 1);
  const auto file = [&](Compression compression, std::string stored) {
    return SeekFile{"", compression, plain, std::move(stored)};
  };
  switch (form) {
    case 0:
      return file(Compression::kGzip,
                  compression::Deflate(plain, kGzip, 6, 0, kSmallBlocks));
    case 1:
      return file(Compression::kGzip, compression::Gzip(plain));
    case 2:
      return file(Compression::kGzip,
                  compression::Deflate(plain, kGzip, 3, 0, kSmallBlocks) +
                      compression::GzipMembers(pieces));
    case 3:
      return file(Compression::kGzip, compression::BlockedGzip(pieces));
    case 4:
      return file(Compression::kGzip, compression::Bgzf(pieces));
    case 5:
      return file(Compression::kZlib,
                  compression::Deflate(plain, kZlib, 6, 0, kSmallBlocks));
    case 6:
      return file(Compression::kZstd, compression::SeekableZstd(pieces));
    case 7:
      return file(Compression::kZlib,
                  compression::FlushedDeflate(pieces, kZlib, kFullFlush));
    case 8:
      return file(Compression::kGzip, compression::OneFixedBlock(plain));
    default:
      return file(Compression::kGzip, compression::Gzip(plain, 0));
  }
}

const Specimen& SpecimenOf(size_t form, size_t size, size_t seed) {
  static std::map<std::array<size_t, 3>, Specimen> all;
  Specimen& specimen = all[{form, size, seed}];
  if (!specimen.tables.empty()) return specimen;
  constexpr size_t kSizes[] = {0, 40, 700, 2500, 6000, 68'000, 400'000};
  // The second form has two of them.
  std::string plain = compression::PlainBytes(
      kSizes[size] / (form == 2 ? 2 : 1), static_cast<unsigned>(seed));
  specimen.file = NewFile(form, plain);
  if (form == 2) specimen.file.plain = plain + plain;
  specimen.tables.push_back(BuildTable(specimen.file, kSpacing));
  Require(specimen.tables[0] != nullptr, "an intact file has no table");
  if (Table hops = HopTable(specimen.file)) {
    specimen.tables.push_back(std::move(hops));
  }
  return specimen;
}

// Small files are most of the inputs: they take less time.
constexpr size_t kSizeOf[] = {0, 1, 1, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 5, 5, 3};

// Very few are larger than the buffers that files are read through.
size_t SizeOf(uint8_t choice) {
  return choice == 255 ? 6 : kSizeOf[choice % 16];
}

// Changes the input asks for.
struct Changes {
  std::string stored;
  std::vector<SeekPoint> points;
  uint64_t plain_size = 0;
  bool of_file = false;
  bool of_table = false;

  void Apply(std::string_view change);
  void ApplyToFile(size_t kind, size_t at, uint8_t value);
  void ApplyToPoint(SeekPoint* point, size_t at, uint8_t value);
};

void Changes::Apply(std::string_view change) {
  Choices choices(change);
  const size_t kind = choices.Below(8);
  const size_t at = choices.Byte() + size_t{256} * choices.Byte();
  const uint8_t value = choices.Byte();
  if (kind < 5) {
    of_file = true;
    if (!stored.empty()) ApplyToFile(kind, at % stored.size(), value);
    return;
  }
  of_table = true;
  if (points.size() < 2 || at % 32 == 31) {
    plain_size += value - uint64_t{128};
    return;
  }
  ApplyToPoint(&points[1 + at % (points.size() - 1)], at, value);
}

void Changes::ApplyToFile(size_t kind, size_t at, uint8_t value) {
  switch (kind) {
    case 0:
      stored[at] = static_cast<char>(value);
      break;
    case 1:
      stored.resize(at);
      break;
    case 2:
      stored.insert(at, stored.substr(at, value));
      break;
    case 3:  // near the end, where trailers and tables are
      at = stored.size() - 1 - at % std::min<size_t>(stored.size(), 30);
      [[fallthrough]];
    default:
      stored[at] = static_cast<char>(stored[at] ^ (1 << value % 8));
  }
}

void Changes::ApplyToPoint(SeekPoint* point, size_t at, uint8_t value) {
  constexpr std::array<int, 8> kSteps = {1, -1, 8, -8, 64, -64, 800, -800};
  const auto step = static_cast<uint64_t>(int64_t{kSteps[value % 8]});
  const SeekPoint& other = points[at / 32 % points.size()];
  switch (value / 8 % 8) {
    case 0:
      point->stored_bit += step;
      break;
    case 1:
      point->plain += step;
      break;
    case 2:
      point->state.check ^= static_cast<uint32_t>(step);
      break;
    case 3:
      point->state.size += static_cast<uint32_t>(step);
      break;
    case 4:
      point->window = other.window;
      point->window_digest = other.window_digest;
      break;
    case 5:
      point->window = point->window.first(point->window.size() / 2);
      break;
    case 6:
      point->is_inside = !point->is_inside;
      break;
    default:
      points.erase(points.begin() + (point - points.data()));
  }
}

Outcome ReadLimited(std::unique_ptr<ByteStream> stream, size_t piece) {
  source::LimitStream limited(std::move(stream), kMaxOutput);
  return compression::ReadAll(&limited, piece);
}

Outcome FromBeginning(Compression compression, const std::string& stored,
                      InflateLibrary library) {
  auto stream = compression::Decompress(
      compression, compression::StreamOf(stored), stored.size(), library);
  Require(stream.ok(), stream.status().ToString());
  return ReadLimited(*std::move(stream), 4096);
}

void CheckInOrder(Compression compression, const std::string& stored,
                  const Table& table, size_t threads, size_t piece) {
  const Outcome got =
      ReadLimited(std::make_unique<SeekableStream>(
                      table, compression::StreamOf(stored), threads),
                  piece);
  const Outcome zlib =
      FromBeginning(compression, stored, InflateLibrary::kZlib);
  if (got == zlib) return;
  // ISA-L takes some codes of deflate that zlib refuses. What it makes of the
  // damage before it fails, too, is then given first, and how much of it
  // depends on the pieces. All that zlib gives comes before.
  const Outcome best =
      FromBeginning(compression, stored, compression::kBestInflate);
  const bool is_lenient =
      !(best == zlib) ||
      (!zlib.failure.ok() && got.bytes.starts_with(zlib.bytes));
  const size_t common = std::min(got.bytes.size(), best.bytes.size());
  Require(got == best ||
              (is_lenient && !got.failure.ok() &&
               got.bytes.substr(0, common) == best.bytes.substr(0, common)),
          got.failure.ToString() + " after " +
              std::to_string(got.bytes.size()) + " bytes instead of " +
              best.failure.ToString() + " after " +
              std::to_string(best.bytes.size()));
}

// `plain` is null where anything may be there.
void CheckAt(SeekableStream* stream, uint64_t offset, size_t size,
             const std::string* plain) {
  // The memory has just this size, so a sanitizer sees each byte too far.
  const auto out = std::make_unique<uint8_t[]>(size);
  const auto got = stream->ReadAt(offset, {out.get(), size});
  if (!got.ok()) {
    const ErrorCode code = got.status().code();
    Require(plain == nullptr && (code == ErrorCode::kDecompress ||
                                 code == ErrorCode::kBadIndex),
            got.status().ToString());
    return;
  }
  Require(*got <= size, "more than there is room for");
  if (plain == nullptr) return;
  const std::string_view expected = std::string_view(*plain).substr(
      std::min(static_cast<size_t>(offset), plain->size()), size);
  Require(std::string_view(reinterpret_cast<const char*>(out.get()), *got) ==
              expected,
          "other bytes at a place");
}

void CheckAnywhere(const std::string& stored, const Table& table,
                   Choices* choices, const std::string* plain) {
  SeekableStream stream(table, compression::StreamOf(stored), 1);
  for (int i = 0; i < 2; ++i) {
    const uint64_t offset = table->plain_size() * choices->Byte() / 250;
    CheckAt(&stream, offset, size_t{1} + 5 * choices->Byte(), plain);
  }
}

// A file as any reader opens it.
void CheckSource(Compression compression, const std::string& stored,
                 const Table& table) {
  source::SourceOptions options{.compression = compression};
  options.limits.max_inflated_bytes = kMaxOutput;
  const Outcome expected = compression::ReadMemory(stored, options);
  options.hops_members = true;
  options.threads = 2;
  for (const Table& seek_table : {Table(), table}) {
    options.seek_table = seek_table;
    const Outcome got = compression::ReadMemory(stored, options);
    Require(got == expected, got.failure.ToString() + " instead of " +
                                 expected.failure.ToString());
  }
}

}  // namespace

void CheckInput(std::string_view input) {
  Choices choices(input.substr(0, kChoices));
  const size_t form = choices.Below(2 * kForms);
  const size_t size = SizeOf(choices.Byte());
  const uint8_t how = choices.Byte();
  const size_t piece = 1 + size_t{64} * choices.Byte();
  const Specimen& specimen = SpecimenOf(form % kForms, size, how % 2);
  const Table& intact = specimen.tables[how / 2 % specimen.tables.size()];
  Changes changes{.stored = specimen.file.stored,
                  .points = compression::PointsOf(*intact),
                  .plain_size = intact->plain_size()};
  std::string_view rest = input.substr(std::min(input.size(), kChoices));
  const size_t most = form < kForms ? rest.size() : kChangeBytes;
  for (size_t i = 0; i < most && rest.size() >= kChangeBytes;
       i += kChangeBytes) {
    changes.Apply(rest.substr(0, kChangeBytes));
    rest = rest.substr(kChangeBytes);
  }
  // Some inputs are the file, behind the first change.
  if (form >= kForms && !rest.empty()) {
    changes.stored = rest;
    changes.of_file = true;
  }
  const std::string& stored = changes.stored;
  const Compression compression = specimen.file.compression;
  const Table table = SeekTable::Make(
      compression, changes.points, stored.size(), changes.plain_size, nullptr);
  const Table hops = compression::HopTable({"", compression, "", stored});
  const size_t threads = how / 4 % 8 == 0 ? 3 : 1;
  for (const Table& of : {table, hops}) {
    if (of == nullptr) continue;
    CheckInOrder(compression, stored, of, threads, piece);
    const bool is_intact = !changes.of_file && !changes.of_table;
    if (of->plain_size() > kMaxOutput) continue;
    CheckAnywhere(stored, of, &choices,
                  is_intact ? &specimen.file.plain : nullptr);
  }
  if (how / 32 == 0) CheckSource(compression, stored, table);
}

std::string NewInput(Random* random) {
  std::string input = random->Bytes(kChoices);
  for (size_t changes = random->Below(3); changes > 0; --changes) {
    input += random->Bytes(kChangeBytes);
  }
  const size_t form = static_cast<uint8_t>(input[0]) % (2 * kForms);
  if (form >= kForms) {
    input.resize(kChoices + kChangeBytes);
    const size_t size = 1 + random->Below(4);
    input += SpecimenOf(form % kForms, size, 0).file.stored;
  }
  return input;
}

std::string ChangeInput(std::string_view input, Random* random) {
  std::string changed(input);
  for (size_t changes = 1 + random->Below(3); changes > 0; --changes) {
    const size_t at = random->Below(changed.size() + 1);
    switch (random->Below(4)) {
      case 0:
        if (changed.size() < 60) changed += random->Bytes(kChangeBytes);
        break;
      case 1:
        if (random->OneIn(4)) changed.resize(at);
        break;
      default:
        if (at == changed.size()) break;
        changed[at] = static_cast<char>(changed[at] ^ (1 << random->Below(8)));
    }
  }
  return changed;
}

}  // namespace headrace::fuzzing
