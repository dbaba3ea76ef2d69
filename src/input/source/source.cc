// Opens files, InputFiles and memory as Sources: detects the compression, finds
// a seek table, and stacks the streams that read, inflate and limit the bytes.

#include "src/input/source/source.h"

#include <algorithm>
#include <limits>
#include <new>
#include <span>
#include <utility>

#include "src/base/memory/buffer.h"
#include "src/base/record_header.h"
#include "src/base/system_error.h"
#include "src/input/blocks/member_hops.h"
#include "src/input/blocks/seekable_stream.h"
#include "src/input/compression/decompressor.h"
#include "src/input/compression/detect.h"
#include "src/input/source/file_stream.h"
#include "src/input/source/in_place_source.h"
#include "src/input/source/input_stream.h"
#include "src/input/source/read_ahead_stream.h"
#include "src/input/source/streams.h"
#include "src/input/source/window_source.h"

namespace headrace::source {
namespace {

// Maximum windows pinned per batch; if there are more, none of them stays in a
// cache.
constexpr size_t kManyPinned = 16;
// Blocks of windows are pieces of MemoryPool, and large ones are huge pages.
constexpr size_t kWindowBytes = (size_t{256} << 10) - Block::kOverhead;
constexpr size_t kLargeWindowBytes = kHugePage - Block::kOverhead;

// Bytes of the first window of a stream of unknown size; later ones are larger.
constexpr size_t kFirstUnknown = size_t{64} << 10;
// A guess of the ratio by which records compress.
constexpr uint64_t kUsualRatio = 4;
constexpr uint64_t kMinInflated = 4096;

size_t FirstBytes(Compression compression, uint64_t stored_size) {
  constexpr uint64_t kMax = std::numeric_limits<size_t>::max() / 2;
  if (stored_size == 0) return kFirstUnknown;
  if (stored_size > kMax / kUsualRatio) return kMax;
  // With one more byte, the last bytes and the end arrive in one window.
  const uint64_t expected =
      compression == Compression::kNone
          ? stored_size + 1
          : std::max(stored_size * kUsualRatio, kMinInflated);
  return static_cast<size_t>(expected);
}

// Head reads a stream's first bytes, at most compression::kDetectBytes, but no
// more than needed: a pipe may hold 12 bytes now and the rest much later.
struct Head {
  Buffer buffer;
  size_t size = 0;

  std::span<const uint8_t> bytes() const { return {buffer.data(), size}; }
  // Returns success at the end of the stream, too.
  Status ReadUpTo(size_t wanted, ByteStream* stream);
};

Status Head::ReadUpTo(size_t wanted, ByteStream* stream) {
  if (!buffer.Grow(compression::kDetectBytes)) return Status::OutOfMemory();
  while (size < wanted) {
    auto got = stream->Read(std::span(buffer.data() + size, wanted - size));
    if (!got.ok()) return got.status();
    if (*got == 0) break;
    size += *got;
  }
  return Status();
}

// Returns the compression asked for, or detects it and puts the bytes read for
// that in `head`.
Result<Compression> FindCompression(const SourceOptions& options,
                                    ByteStream* stream, Head* head) {
  if (options.compression != Compression::kAuto) return options.compression;
  Status status = head->ReadUpTo(kRecordHeaderBytes, stream);
  if (const auto known = compression::CompressionByMagic(head->bytes())) {
    return *known;
  }
  if (status.ok()) status = head->ReadUpTo(compression::kDetectBytes, stream);
  Result<Compression> found = compression::DetectCompression(head->bytes());
  // After a failure kNone would be a guess, and might pass on compressed bytes
  // as if they were plain.
  if (found.ok() && *found == Compression::kNone && !status.ok()) return status;
  return found;
}

size_t WindowBytes(const SourceOptions& options) {
  return options.window_bytes > 0 ? options.window_bytes : kWindowBytes;
}

bool IsTooLarge(const compression::SeekTable& table,
                const SourceOptions& options) {
  const uint64_t most = options.limits.max_inflated_bytes;
  return most > 0 && table.plain_size() > most;
}

// Whether the index has the members where the file's own `claim` has them.
bool HasPointsOf(const compression::SeekTable* index,
                 const compression::SeekTable& claim) {
  if (index == nullptr || index->compression() != claim.compression() ||
      index->plain_size() != claim.plain_size()) {
    return false;
  }
  const auto has = [](const compression::SeekPoint& a,
                      const compression::SeekPoint& b) {
    return a.stored_bit == b.stored_bit && a.plain == b.plain && !a.is_inside;
  };
  return std::ranges::equal(index->points(), claim.points(), has);
}

// Returns null if there is no seek table to use.
Result<std::shared_ptr<const compression::SeekTable>> FindTable(
    ByteStream* stored, Compression compression, uint64_t stored_size,
    const SourceOptions& options) {
  std::shared_ptr<const compression::SeekTable> table = options.seek_table;
  if (!stored->can_read_at() || stored_size == 0) return {nullptr};
  if (table == nullptr && options.hops_members) {
    auto hops = compression::HopOverMembers(compression, stored, stored_size);
    if (!hops.ok()) return hops.status();
    table = hops->table;
    if (table != nullptr && HasPointsOf(options.proof.get(), *table)) {
      table = options.proof;
    }
  }
  if (table == nullptr || table->compression() != compression ||
      table->stored_size() != stored_size || IsTooLarge(*table, options)) {
    return {nullptr};
  }
  return table;
}

// Minimum bytes of a stored file; smaller files are not worth a thread.
constexpr uint64_t kWorthThread = uint64_t{1} << 20;

template <class T, class... Args>
Result<std::unique_ptr<ByteStream>> MakeStream(Args&&... args) {
  std::unique_ptr<ByteStream> stream(new (std::nothrow)
                                         T(std::forward<Args>(args)...));
  if (stream == nullptr) return Status::OutOfMemory();
  return stream;
}

Result<std::unique_ptr<ByteStream>> InflateInOrder(
    std::unique_ptr<ByteStream> stream, Compression compression,
    uint64_t stored_size, const SourceOptions& options) {
  const bool has_threads =
      options.threads > 1 && (stored_size == 0 || stored_size > kWorthThread);
  // Reading takes little time, so with two threads the second one inflates.
  if (has_threads && options.threads > 2) {
    auto ahead =
        MakeStream<ReadAheadStream>(std::move(stream), options.interrupt);
    if (!ahead.ok()) return ahead;
    stream = *std::move(ahead);
  }
  auto inflate =
      compression::Decompress(compression, std::move(stream), stored_size);
  if (!inflate.ok()) return inflate.status();
  (*inflate)->FindPoints(options.table_builder);
  stream = *std::move(inflate);
  if (has_threads) {
    auto ahead = MakeStream<ReadAheadStream>(
        std::move(stream), options.interrupt, Gives::kInflatedBytes);
    if (!ahead.ok()) return ahead;
    stream = *std::move(ahead);
  }
  return stream;
}

// A seek table may claim less than the file inflates to, so the limit applies
// to its stream, too.
Result<std::unique_ptr<ByteStream>> Inflate(
    std::unique_ptr<ByteStream> stream, Compression compression,
    uint64_t stored_size,
    const std::shared_ptr<const compression::SeekTable>& table,
    const SourceOptions& options) {
  auto inflated = table != nullptr
                      ? MakeStream<compression::SeekableStream>(
                            table, std::move(stream), options.threads,
                            options.table_builder)
                      : InflateInOrder(std::move(stream), compression,
                                       stored_size, options);
  const uint64_t limit = options.limits.max_inflated_bytes;
  if (!inflated.ok() || limit == 0) return inflated;
  return MakeStream<LimitStream>(*std::move(inflated), limit);
}

Result<std::unique_ptr<Source>> MakeWindows(std::unique_ptr<ByteStream> stream,
                                            Head head, Compression compression,
                                            const std::string& name,
                                            uint64_t stored_size,
                                            const SourceOptions& options) {
  if (head.size > 0) {
    auto replayed = MakeStream<ReplayStream>(std::move(head.buffer), head.size,
                                             std::move(stream));
    if (!replayed.ok()) return replayed.status();
    stream = *std::move(replayed);
  }
  std::shared_ptr<const compression::SeekTable> table;
  if (compression != Compression::kNone) {
    auto found = FindTable(stream.get(), compression, stored_size, options);
    if (!found.ok()) return found.status();
    table = *std::move(found);
    auto inflated =
        Inflate(std::move(stream), compression, stored_size, table, options);
    if (!inflated.ok()) return inflated.status();
    stream = *std::move(inflated);
  }
  std::unique_ptr<Source> source(new (std::nothrow) WindowSource(
      std::move(stream),
      {.name = name,
       .compression = compression,
       .stored_size = stored_size,
       .seek_table = std::move(table),
       .window_bytes = WindowBytes(options),
       .first_bytes = FirstBytes(compression, stored_size),
       .many_pinned = kManyPinned * options.batches,
       .large_bytes = options.window_bytes > 0 ? 0 : kLargeWindowBytes,
       .all_pinned = options.all_pinned,
       .interrupt = options.interrupt}));
  if (source == nullptr) return Status::OutOfMemory();
  return source;
}

}  // namespace

Result<std::unique_ptr<Source>> OpenFile(const std::string& path,
                                         const SourceOptions& options) {
  auto opened = FileStream::Open(path, options.interrupt);
  if (!opened.ok()) return opened.status();
  const std::unique_ptr<FileStream>& file = *opened;
  const std::string name = path == "-" ? "<stdin>" : path;
  const uint64_t size = file->size();
  const bool seekable = file->seekable();
  Head head;
  const auto compression = FindCompression(options, file.get(), &head);
  if (!compression.ok()) return NameFile(compression.status(), name);
  if (options.mmap && *compression == Compression::kNone && seekable &&
      size > 0) {
    return NameFile(OpenMapped(std::move(*opened), name, WindowBytes(options),
                               options.interrupt),
                    name);
  }
  return NameFile(MakeWindows(std::move(*opened), std::move(head), *compression,
                              name, size, options),
                  name);
}

Result<std::unique_ptr<Source>> OpenInput(std::unique_ptr<InputFile> input,
                                          const std::string& name,
                                          const SourceOptions& options) {
  if (input == nullptr) {
    return NameFile(Status(ErrorCode::kInvalidArgument,
                           "expected an InputFile, found a null pointer"),
                    name);
  }
  const uint64_t size = input->size();
  auto stream = MakeStream<InputStream>(std::move(input), options.interrupt);
  if (!stream.ok()) return NameFile(stream.status(), name);
  Head head;
  const auto compression = FindCompression(options, stream->get(), &head);
  if (!compression.ok()) return NameFile(compression.status(), name);
  return NameFile(MakeWindows(*std::move(stream), std::move(head), *compression,
                              name, size, options),
                  name);
}

Result<std::unique_ptr<Source>> OpenNamed(const std::string& name,
                                          const headrace::OpenInput& open_input,
                                          const SourceOptions& options) {
  if (!open_input) return OpenFile(name, options);
  auto input = open_input(name);
  if (!input.ok()) return NameFile(input.status(), name);
  return OpenInput(*std::move(input), name, options);
}

Result<std::unique_ptr<Source>> OpenMemory(const void* data, size_t size,
                                           const SourceOptions& options) {
  const std::string name = "<memory>";
  const std::span bytes(static_cast<const uint8_t*>(data), size);
  Compression compression = options.compression;
  if (compression == Compression::kAuto) {
    const Result<Compression> found = compression::DetectCompression(
        bytes.first(std::min(size, compression::kDetectBytes)));
    if (!found.ok()) return NameFile(found.status(), name);
    compression = *found;
  }
  if (compression == Compression::kNone) {
    return NameFile(OpenBytes(bytes, name), name);
  }
  auto stream = MakeStream<MemoryStream>(bytes);
  if (!stream.ok()) return NameFile(stream.status(), name);
  return NameFile(
      MakeWindows(*std::move(stream), Head(), compression, name, size, options),
      name);
}

}  // namespace headrace::source
