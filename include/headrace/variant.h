// Variant: a std::variant that can be copied where memory ends.
//
// The copy constructor of libstdc++'s destroys a value that it never made when
// copying it throws, if all alternatives are such that the variant always has a
// value (strings, vectors, numbers).

#ifndef HEADRACE_VARIANT_H_
#define HEADRACE_VARIANT_H_

#include <type_traits>
#include <variant>

namespace headrace {

// The alternatives are all different.
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
