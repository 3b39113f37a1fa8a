// The functions by which each file adds to the extension module.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>

namespace errai::cards {

void bind_strength(nanobind::module_& module);
void bind_indexer(nanobind::module_& module);
void bind_features(nanobind::module_& module);
void bind_clustering(nanobind::module_& module);
void bind_classes(nanobind::module_& module);

// Arrays that Python owns and the native code borrows for one call.
template <class T, size_t Dimensions>
using Output = nanobind::ndarray<T, nanobind::ndim<Dimensions>, nanobind::c_contig, nanobind::device::cpu>;
template <class T, size_t Dimensions>
using Input = Output<const T, Dimensions>;

}  // namespace errai::cards
