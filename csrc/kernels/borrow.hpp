// Python arrays as the engine borrows them; errai/kernels has checked them.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <list>
#include <stdexcept>

#include "engine.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace errai {

template <class T>
using Array = nb::ndarray<T, nb::c_contig, nb::device::cpu>;
using AnyArray = nb::ndarray<nb::c_contig, nb::device::cpu>;
using ReadArray = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;
using Doubles = std::vector<Array<double>>;
using Floats = std::vector<Array<float>>;

template <class AnyKind>
Type type_of(const AnyKind& array) {
  if (array.dtype() == nb::dtype<float>()) return Type::FLOAT32;
  if (array.dtype() == nb::dtype<double>()) return Type::FLOAT64;
  if (array.dtype() == nb::dtype<uint8_t>()) return Type::UINT8;
  if (array.dtype() == nb::dtype<uint16_t>()) return Type::UINT16;
  if (array.dtype() == nb::dtype<int16_t>()) return Type::INT16;
  throw std::invalid_argument("arrays must be float32, float64, uint8, uint16 or int16");
}

inline std::vector<void*> pointers(const std::vector<AnyArray>& arrays) {
  std::vector<void*> list;
  for (const auto& array : arrays) list.push_back(array.data());
  return list;
}

inline std::vector<const void*> pointers(const std::vector<ReadArray>& arrays) {
  std::vector<const void*> list;
  for (const auto& array : arrays) list.push_back(array.data());
  return list;
}

template <class T>
std::vector<T*> pointers(const std::vector<Array<T>>& arrays) {
  std::vector<T*> list;
  for (const auto& array : arrays) list.push_back(array.data());
  return list;
}

using RoleArray = nb::ndarray<const uint8_t, nb::c_contig, nb::device::cpu>;  // by street

inline const Role* roles_in(const RoleArray& roles) { return reinterpret_cast<const Role*>(roles.data()); }

// An empty list means that nothing is given.
inline const double* const* data_of(const std::vector<double*>& list) { return list.empty() ? nullptr : list.data(); }

// Reads the arrays that errai/kernels/layout.py describes, and keeps them alive.
class Borrowed {
 public:
  template <class T>
  const T* take(nb::handle owner, const char* name) {
    nb::object value = owner.attr(name);
    const auto array = nb::cast<Array<T>>(value);
    keep_.push_back(value);
    return array.data();
  }

  Hands read_hands(nb::handle h) {
    Hands hands{};
    hands.start = take<int64_t>(h, "start");
    hands.cards = take<uint8_t>(h, "cards");
    hands.parent = take<int32_t>(h, "parent");
    hands.up_weight = take<double>(h, "up_weight");
    hands.rank = take<int32_t>(h, "rank");
    hands.twin = take<int32_t>(h, "twin");
    hands.member_start = take<int64_t>(h, "member_start");
    hands.member_cards = take<uint8_t>(h, "member_cards");
    return hands;
  }

  Street read_street(nb::handle s) {
    Street street{};
    street.nodes = nb::cast<int>(nb::handle(s.attr("kind")).attr("__len__")());
    street.boards = nb::cast<int>(nb::handle(s.attr("parent_board")).attr("__len__")());
    street.entries = nb::cast<int>(s.attr("num_entries"));
    street.exits = nb::cast<int>(s.attr("num_exits"));
    street.leaves = nb::cast<int>(s.attr("num_leaves"));
    street.kind = take<int8_t>(s, "kind");
    street.actor = take<int8_t>(s, "actor");
    street.first_child = take<int32_t>(s, "first_child");
    street.num_children = take<int32_t>(s, "num_children");
    street.row = take<int32_t>(s, "row");
    street.ends = reinterpret_cast<const End*>(take<double>(s, "ends"));
    if (!s.attr("matrix").is_none()) {
      street.matrix = take<int32_t>(s, "matrix");
      street.matrices = read_matrices(s.attr("matrices"));
    }
    street.child_start = take<int32_t>(s, "child_start");
    const auto rows = nb::cast<nb::tuple>(s.attr("num_rows"));
    const auto hands = nb::cast<nb::tuple>(s.attr("hands"));
    for (int p = 0; p < 2; ++p) {
      street.rows[p] = nb::cast<int>(rows[p]);
      street.hands[p] = read_hands(hands[p]);
      street.locks[p] = read_locks(nb::cast<nb::tuple>(s.attr("locks"))[p]);
    }
    return street;
  }

  std::vector<nb::object> keep_;

 private:
  const double* take_item(nb::handle pair, int player) {
    nb::object value = nb::cast<nb::tuple>(pair)[player];
    keep_.push_back(value);
    return nb::cast<Array<double>>(value).data();
  }

  const PairPayoffs* read_matrices(nb::handle matrices) {
    std::vector<PairPayoffs>& list = matrices_.emplace_back();
    for (nb::handle matrix : nb::cast<nb::tuple>(matrices)) {
      PairPayoffs payoffs{};
      for (int p = 0; p < 2; ++p) {
        payoffs.margin[p] = take_item(matrix.attr("margin"), p);
        if (!matrix.attr("tie").is_none()) payoffs.tie[p] = take_item(matrix.attr("tie"), p);
      }
      list.push_back(payoffs);
    }
    return list.data();
  }

  Locks read_locks(nb::handle locks) {
    if (locks.is_none()) return Locks{};
    return Locks{take<int32_t>(locks, "at"), take<int64_t>(locks, "role_start"), take<uint8_t>(locks, "role"),
                 take<int64_t>(locks, "strategy_start"), take<double>(locks, "strategy")};
  }

  std::list<std::vector<PairPayoffs>> matrices_;  // by street; moving the list leaves them where they are
};

void bind_buckets(nb::module_& m);

}  // namespace errai
