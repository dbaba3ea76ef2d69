#include "tests/random/mutator.h"

#include <algorithm>
#include <utility>

#include "tests/support/wire_writer.h"

namespace headrace::testing {

namespace {

// Short forms only: the mutator takes apart what tests wrote.
bool TakeVarint(std::string_view* bytes, uint64_t* value) {
  *value = 0;
  for (size_t i = 0; i < 10 && i < bytes->size(); ++i) {
    const auto byte = static_cast<uint8_t>((*bytes)[i]);
    *value |= uint64_t{byte & 0x7fu} << (7 * i);
    if (byte < 0x80) {
      bytes->remove_prefix(i + 1);
      return true;
    }
  }
  return false;
}

bool IsLen(uint64_t tag) { return (tag & 7) == 2; }

// Bytes after the tag of a field that is not length-delimited; -1 if unknown.
int PlainSize(uint64_t tag, std::string_view bytes) {
  uint64_t ignored;
  std::string_view rest = bytes;
  switch (tag & 7) {
    case 0:
      if (!TakeVarint(&rest, &ignored)) return -1;
      return static_cast<int>(bytes.size() - rest.size());
    case 1:
      return 8;
    case 3:
    case 4:
      return 0;
    case 5:
      return 4;
    default:
      return -1;
  }
}

}  // namespace

bool Mutator::Split(std::string_view bytes, int depth, Tokens* tokens) {
  while (!bytes.empty()) {
    Token token;
    if (!TakeVarint(&bytes, &token.tag) || token.tag < 8) return false;
    uint64_t size = 0;
    if (IsLen(token.tag)) {
      if (!TakeVarint(&bytes, &size)) return false;
    } else {
      const int plain = PlainSize(token.tag, bytes);
      if (plain < 0) return false;
      size = static_cast<uint64_t>(plain);
    }
    if (size > bytes.size()) return false;
    token.payload = bytes.substr(0, static_cast<size_t>(size));
    bytes.remove_prefix(token.payload.size());
    // A guess: text may look like fields. Written again it is the same.
    token.is_message = IsLen(token.tag) && depth < 5 && size > 0 &&
                       Split(token.payload, depth + 1, &token.children);
    if (!token.is_message) token.children.clear();
    tokens->push_back(std::move(token));
  }
  return true;
}

std::string Mutator::Write(const Tokens& tokens) {
  std::string bytes;
  for (const Token& token : tokens) {
    const std::string payload =
        token.is_message ? Write(token.children) : token.payload;
    if (token.tag != 0) bytes += Varint(token.tag, token.tag_size);
    if (IsLen(token.tag)) {
      const uint64_t length =
          payload.size() + static_cast<uint64_t>(token.length_error);
      bytes += Varint(length, token.length_size);
    }
    bytes += payload;
  }
  return bytes;
}

std::string Mutator::Mutate(std::string_view record) {
  Tokens tokens;
  if (!Split(record, 0, &tokens)) {
    tokens = {Token{.payload = std::string(record)}};
  }
  const size_t changes = 1 + random_.Below(4);
  for (size_t i = 0; i < changes; ++i) Change(Descend(&tokens));
  std::string bytes = Write(tokens);
  if (random_.OneIn(16) && !bytes.empty()) {
    bytes.resize(random_.Below(bytes.size()));
  }
  return bytes;
}

Mutator::Tokens* Mutator::Descend(Tokens* tokens) {
  while (!tokens->empty() && !random_.OneIn(5)) {
    Token& token = (*tokens)[random_.Below(tokens->size())];
    if (!token.is_message) break;
    tokens = &token.children;
  }
  return tokens;
}

void Mutator::Change(Tokens* tokens) {
  const size_t at = random_.Below(tokens->size() + 1);
  const auto position = tokens->begin() + static_cast<ptrdiff_t>(at);
  if (at == tokens->size()) {
    tokens->push_back(RandomToken());
    return;
  }
  switch (random_.Below(6)) {
    case 0:
      tokens->erase(position);
      break;
    case 1:
      tokens->insert(position, Token((*tokens)[at]));
      break;
    case 2:
      std::swap((*tokens)[at], (*tokens)[random_.Below(tokens->size())]);
      break;
    case 3:
      tokens->insert(position, RandomToken());
      break;
    default:
      ChangeToken(&*position);
      break;
  }
}

void Mutator::ChangeToken(Token* token) {
  switch (random_.Below(8)) {
    case 0:  // another field
      token->tag = (token->tag & 7) | (1 + random_.Below(4)) << 3;
      break;
    case 1:  // another wire type, the payload stays
      token->tag = (token->tag & ~uint64_t{7}) | random_.Below(8);
      break;
    case 2:
      token->tag_size = random_.Below(7);
      break;
    case 3:
      token->length_size = random_.Below(7);
      break;
    case 4:
      token->length_error = static_cast<int>(random_.Below(5)) - 2;
      break;
    case 5: {  // inside an unknown group
      Token group{.payload = Group(static_cast<uint32_t>(1 + random_.Below(16)),
                                   Write({*token}))};
      *token = std::move(group);
      break;
    }
    default:
      if (token->is_message && random_.OneIn(2)) {
        token->payload = Write(token->children);
        token->is_message = false;
      }
      if (!token->is_message) ChangePayload(&token->payload);
      break;
  }
}

void Mutator::ChangePayload(std::string* payload) {
  const size_t at = random_.Below(payload->size() + 1);
  switch (random_.Below(4)) {
    case 0:
      payload->resize(at);
      break;
    case 1:
      payload->insert(at, random_.Bytes(1 + random_.Below(3)));
      break;
    case 2:
      payload->insert(at, 1, random_.OneIn(2) ? '\x80' : '\xff');
      break;
    default:
      if (at < payload->size()) {
        (*payload)[at] =
            static_cast<char>((*payload)[at] ^ (1 << random_.Below(8)));
      }
      break;
  }
}

Mutator::Token Mutator::RandomToken() {
  const auto field = static_cast<uint32_t>(1 + random_.Below(4));
  switch (random_.Below(5)) {
    case 0:
      return {.payload = VarintField(field, random_.Bits())};
    case 1:
      return {.payload = Fixed32Field(field, 0)};
    case 2:
      return {.payload = Group(field)};
    case 3:
      return {.payload = random_.Bytes(1 + random_.Below(4))};
    default:
      return {.payload = LenField(field, random_.Bytes(random_.Below(9)))};
  }
}

}  // namespace headrace::testing
