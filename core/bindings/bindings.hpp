// The parts of the module, a file for each folder of core/.
#pragma once

#include <nanobind/nanobind.h>

namespace budgetree {

void bind_base(nanobind::module_& module);
void bind_cost(nanobind::module_& module);
void bind_exact(nanobind::module_& module);
void bind_growth(nanobind::module_& module);
void bind_learners(nanobind::module_& module);
void bind_models(nanobind::module_& module);
void bind_parts(nanobind::module_& module);
void bind_tables(nanobind::module_& module);

}  // namespace budgetree
