#include "src/exchange/arrow/ipc_metadata.h"

#include <cstddef>
#include <iterator>
#include <string_view>

namespace headrace::arrow {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::voffset_t;
using TableOffset = flatbuffers::Offset<flatbuffers::Table>;

// Numbers of the tables' fields and of members of enumerations, from the
// format: https://arrow.apache.org/docs/format/Columnar.html
constexpr int16_t kMetadataV5 = 4;

namespace message {
constexpr voffset_t kVersion = 0, kHeaderType = 1, kHeader = 2, kBodyLength = 3;
constexpr uint8_t kSchemaHeader = 1, kRecordBatchHeader = 3;
}  // namespace message

namespace schema {
constexpr voffset_t kEndianness = 0, kFields = 1;
}  // namespace schema

namespace field {
constexpr voffset_t kName = 0, kNullable = 1, kTypeType = 2, kType = 3,
                    kChildren = 5, kCustomMetadata = 6;
}  // namespace field

namespace key_value {
constexpr voffset_t kKey = 0, kValue = 1;
}  // namespace key_value

namespace fixed_size_list {
constexpr voffset_t kListSize = 0;
}  // namespace fixed_size_list

namespace record_batch {
constexpr voffset_t kLength = 0, kNodes = 1, kBuffers = 2, kVariadicCounts = 4;
}  // namespace record_batch

namespace footer {
constexpr voffset_t kVersion = 0, kSchema = 1, kDictionaries = 2,
                    kRecordBatches = 3;
}  // namespace footer

// The maximum size of metadata in bytes: flatbuffers asserts that it stays
// below 2^31.
constexpr uint64_t kMaxMetadata = uint64_t{1} << 30;
// The maximum size in bytes of the tables, offsets and padding of one field.
constexpr uint64_t kFieldOverhead = 512;

inline voffset_t Slot(voffset_t number) {
  return flatbuffers::FieldIndexToOffset(number);
}

// Adds a number. AddElement leaves out a number that is the default; a reader
// puts it back.
template <class T>
void Add(FlatBufferBuilder* fbb, voffset_t number, T value) {
  fbb->AddElement<T>(Slot(number), value, T{0});
}

template <class T>
void AddOffset(FlatBufferBuilder* fbb, voffset_t number,
               flatbuffers::Offset<T> value) {
  fbb->AddOffset(Slot(number), value);
}

// Adds structs as they are in memory, in the byte order of flatbuffers.
template <class T>
flatbuffers::Offset<flatbuffers::Vector<const T*>> Structs(
    FlatBufferBuilder* fbb, std::span<const T> items) {
  return fbb->CreateVectorOfStructs(items.data(), items.size());
}

uint64_t SchemaBound(const Field& field) {
  uint64_t bytes = kFieldOverhead + field.name.size() + field.extension.size() +
                   field.extension_metadata.size();
  for (const Field& child : field.children) bytes += SchemaBound(child);
  return bytes;
}

TableOffset AddType(FlatBufferBuilder* fbb, const Field& field) {
  const TypeInfo& type = InfoOf(field.type);
  const auto start = fbb->StartTable();
  if (type.has_list_size) {
    Add<int32_t>(fbb, fixed_size_list::kListSize, field.list_size);
  }
  for (const IpcParameter& parameter : type.ipc_parameters) {
    if (parameter.bytes == 4) {
      Add<int32_t>(fbb, parameter.slot, parameter.value);
    } else if (parameter.bytes == 2) {
      Add<int16_t>(fbb, parameter.slot, static_cast<int16_t>(parameter.value));
    } else {
      Add<uint8_t>(fbb, parameter.slot, static_cast<uint8_t>(parameter.value));
    }
  }
  return TableOffset(fbb->EndTable(start));
}

using TableVector = flatbuffers::Offset<flatbuffers::Vector<TableOffset>>;

TableOffset AddKeyValue(FlatBufferBuilder* fbb, std::string_view key,
                        std::string_view value) {
  const auto key_text = fbb->CreateString(key.data(), key.size());
  const auto value_text = fbb->CreateString(value.data(), value.size());
  const auto start = fbb->StartTable();
  AddOffset(fbb, key_value::kKey, key_text);
  AddOffset(fbb, key_value::kValue, value_text);
  return TableOffset(fbb->EndTable(start));
}

// Adds the extension type of a field, if it has one.
TableVector AddExtension(FlatBufferBuilder* fbb, const Field& field) {
  if (field.extension.empty()) return {};
  const TableOffset pairs[] = {
      AddKeyValue(fbb, kExtensionName, field.extension),
      AddKeyValue(fbb, kExtensionMetadata, field.extension_metadata)};
  return fbb->CreateVector(pairs, std::size(pairs));
}

TableVector AddFields(FlatBufferBuilder* fbb, const std::vector<Field>& fields);

TableOffset AddField(FlatBufferBuilder* fbb, const Field& field) {
  const TableVector children = AddFields(fbb, field.children);
  const TableOffset type = AddType(fbb, field);
  const TableVector extension = AddExtension(fbb, field);
  const auto name = fbb->CreateString(field.name);
  const auto start = fbb->StartTable();
  AddOffset(fbb, field::kName, name);
  AddOffset(fbb, field::kType, type);
  AddOffset(fbb, field::kChildren, children);
  AddOffset(fbb, field::kCustomMetadata, extension);
  Add<uint8_t>(fbb, field::kNullable, field.nullable ? 1 : 0);
  Add<uint8_t>(fbb, field::kTypeType, InfoOf(field.type).ipc_type);
  return TableOffset(fbb->EndTable(start));
}

TableVector AddFields(FlatBufferBuilder* fbb,
                      const std::vector<Field>& fields) {
  std::vector<TableOffset> offsets;
  offsets.reserve(fields.size());
  for (const Field& field : fields) offsets.push_back(AddField(fbb, field));
  return fbb->CreateVector(offsets.data(), offsets.size());
}

TableOffset AddSchema(FlatBufferBuilder* fbb, const Field& root) {
  const auto fields = AddFields(fbb, root.children);
  const auto start = fbb->StartTable();
  AddOffset(fbb, schema::kFields, fields);
  Add<int16_t>(fbb, schema::kEndianness, 0);  // little
  return TableOffset(fbb->EndTable(start));
}

flatbuffers::DetachedBuffer FinishMessage(FlatBufferBuilder* fbb, uint8_t type,
                                          TableOffset header,
                                          int64_t body_length) {
  const auto start = fbb->StartTable();
  Add<int64_t>(fbb, message::kBodyLength, body_length);
  AddOffset(fbb, message::kHeader, header);
  Add<int16_t>(fbb, message::kVersion, kMetadataV5);
  Add<uint8_t>(fbb, message::kHeaderType, type);
  fbb->Finish(TableOffset(fbb->EndTable(start)));
  return fbb->Release();
}

void LayOutNode(const Array& array, BodyLayout* layout) {
  layout->nodes.push_back({array.length, array.null_count});
  for (const Buffer& buffer : array.buffers) {
    layout->places.push_back({layout->size, static_cast<int64_t>(buffer.size)});
    layout->buffers.push_back(&buffer);
    layout->size += static_cast<int64_t>((buffer.size + kIpcAlignment - 1) /
                                         kIpcAlignment * kIpcAlignment);
  }
  if (array.type == TypeId::kBinaryView) {
    layout->variadic_counts.push_back(static_cast<int64_t>(array.num_variadic));
  }
  for (const Array& child : array.children) LayOutNode(child, layout);
}

}  // namespace

void LayOut(const Array& root, BodyLayout* layout) {
  layout->num_rows = root.length;
  layout->size = 0;
  layout->nodes.clear();
  layout->places.clear();
  layout->buffers.clear();
  layout->variadic_counts.clear();
  for (const Array& child : root.children) LayOutNode(child, layout);
}

Result<flatbuffers::DetachedBuffer> SchemaMessage(const Field& root) {
  if (SchemaBound(root) > kMaxMetadata) {
    return Status(ErrorCode::kLimit, "too many columns for an Arrow schema");
  }
  FlatBufferBuilder fbb;
  const TableOffset schema = AddSchema(&fbb, root);
  return FinishMessage(&fbb, message::kSchemaHeader, schema, 0);
}

Result<flatbuffers::DetachedBuffer> RecordBatchMessage(
    const BodyLayout& layout) {
  const uint64_t bound = kFieldOverhead +
                         layout.nodes.size() * sizeof(FieldNode) +
                         layout.places.size() * sizeof(BufferPlace) +
                         layout.variadic_counts.size() * sizeof(int64_t);
  if (bound > kMaxMetadata) {
    return Status(ErrorCode::kLimit, "too many buffers for a record batch");
  }
  FlatBufferBuilder fbb(static_cast<size_t>(bound));
  const auto nodes = Structs<FieldNode>(&fbb, layout.nodes);
  const auto buffers = Structs<BufferPlace>(&fbb, layout.places);
  flatbuffers::Offset<flatbuffers::Vector<int64_t>> variadic;
  if (!layout.variadic_counts.empty()) {
    variadic = fbb.CreateVector(layout.variadic_counts);
  }
  const auto start = fbb.StartTable();
  Add<int64_t>(&fbb, record_batch::kLength, layout.num_rows);
  AddOffset(&fbb, record_batch::kNodes, nodes);
  AddOffset(&fbb, record_batch::kBuffers, buffers);
  // The vector is left out if no column has views.
  AddOffset(&fbb, record_batch::kVariadicCounts, variadic);
  const TableOffset header(fbb.EndTable(start));
  return FinishMessage(&fbb, message::kRecordBatchHeader, header, layout.size);
}

Result<flatbuffers::DetachedBuffer> Footer(const Field& root,
                                           std::span<const FileBlock> blocks) {
  if (SchemaBound(root) + blocks.size_bytes() > kMaxMetadata) {
    return Status(ErrorCode::kLimit, "too many batches for an Arrow file");
  }
  FlatBufferBuilder fbb;
  const TableOffset schema = AddSchema(&fbb, root);
  const auto dictionaries = Structs<FileBlock>(&fbb, {});
  const auto batches = Structs<FileBlock>(&fbb, blocks);
  const auto start = fbb.StartTable();
  AddOffset(&fbb, footer::kSchema, schema);
  AddOffset(&fbb, footer::kDictionaries, dictionaries);
  AddOffset(&fbb, footer::kRecordBatches, batches);
  Add<int16_t>(&fbb, footer::kVersion, kMetadataV5);
  fbb.Finish(TableOffset(fbb.EndTable(start)));
  return fbb.Release();
}

}  // namespace headrace::arrow
