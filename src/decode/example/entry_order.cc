#include "src/decode/example/entry_order.h"

#include <cstring>
#include <string_view>

#include "wire/utf8.h"

namespace headrace::decode {

void EntryOrder::Start(const plan::Program& program) {
  position.trust = std::max(position.trust, kFirstTrust);
  if (program_.get() == &program) return;
  program_.reset();  // null until everything below belongs to `program`
  num_slots_ = static_cast<uint32_t>(program.slots().size());
  const auto templates = program.entry_templates();
  // Loops keep pointers into both vectors, so neither may reallocate.
  templates_.clear();
  templates_.reserve(templates.size() + kMaxLearnt);
  templates_.assign(templates.begin(), templates.end());
  followers_.clear();
  followers_.reserve(templates.size() + kMaxLearnt + 1);
  followers_.assign(templates.size() + 1, {num_slots_, 0});
  learnt_.clear();
  shape.Clear();
  places.Start();
  program_ = program.shared_from_this();
}

uint32_t EntryOrder::Learn(const uint8_t* key, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(key), size);
  if (!plan::EntryTemplate::CanSkip(text)) return plan::kNoSlot;
  if (learnt_.empty()) learnt_.resize(kTableSize);
  constexpr size_t kMask = kTableSize - 1;
  // The search ends, because at most a quarter of the table is in use.
  size_t i = plan::HashKey(key, size, plan::KeyTable::Seed(0)) & kMask;
  for (size_t probes = 1; learnt_[i] != 0; i = (i + 1) & kMask) {
    if (templates_[learnt_[i]].IsForKey(text)) return learnt_[i];
    if (++probes > kMaxProbes) return plan::kNoSlot;
  }
  if (templates_.size() == templates_.capacity()) return plan::kNoSlot;
  // A template outlives the record, and the record's bytes may have changed
  // since the key was looked up. So a copy is checked and kept.
  uint8_t copy[plan::kTemplateBytes + plan::kKeySlack] = {};
  std::memcpy(copy, key, size);
  if (!wire::IsUtf8({copy, size}) ||
      program_->Find(copy, size) != plan::kNoSlot) {
    return plan::kNoSlot;
  }
  learnt_[i] = static_cast<uint32_t>(templates_.size());
  templates_.push_back(
      plan::EntryTemplate::ToSkip({reinterpret_cast<const char*>(copy), size}));
  followers_.push_back({num_slots_, 0});
  return learnt_[i];
}

}  // namespace headrace::decode
