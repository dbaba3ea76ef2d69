// Variant: a std::variant whose copy constructor may run out of memory.
//
// If copying the value throws, libstdc++'s copy constructor destroys a value
// that was never constructed. It does so for variants that can never become
// valueless, such as those of strings, vectors and numbers.

#ifndef HEADRACE_VARIANT_H_
#define HEADRACE_VARIANT_H_

#include <type_traits>
#include <variant>

namespace headrace {

// All alternatives must be different types.
template <class... Types>
class Variant : public std::variant<Types...> {
 public:
  using Base = std::variant<Types...>;
  using Base::Base;
  using Base::operator=;

  Variant() = default;
  Variant(const Variant& other) : Base() {
    std::visit(
        [this](const auto& value) {
          this->template emplace<std::decay_t<decltype(value)>>(value);
        },
        static_cast<const Base&>(other));
  }
  Variant(Variant&&) noexcept = default;
  Variant& operator=(const Variant&) = default;
  Variant& operator=(Variant&&) noexcept = default;
  ~Variant() = default;
};

}  // namespace headrace

#endif  // HEADRACE_VARIANT_H_
