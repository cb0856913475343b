// budgetree._core: the only folder that knows Python. Arrays and records in, arrays and records out.
#include "bindings/bindings.hpp"

NB_MODULE(_core, module) {
    module.attr("__version__") = BUDGETREE_VERSION;
    budgetree::bind_base(module);
    budgetree::bind_cost(module);
    budgetree::bind_tables(module);
    budgetree::bind_growth(module);
    budgetree::bind_exact(module);
    budgetree::bind_models(module);
    budgetree::bind_learners(module);
    budgetree::bind_parts(module);
}
