// The parts of the module, one file each.
#pragma once

#include <nanobind/nanobind.h>

namespace budgetree {

void bind_basics(nanobind::module_& module);
void bind_exact(nanobind::module_& module);
void bind_growth(nanobind::module_& module);
void bind_parts(nanobind::module_& module);
void bind_ridge(nanobind::module_& module);
void bind_routing(nanobind::module_& module);
void bind_shards(nanobind::module_& module);

}  // namespace budgetree
