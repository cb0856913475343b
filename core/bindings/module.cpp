// budgetree._core: the only folder that knows Python. Arrays and records in, arrays and records out.
#include "bindings.hpp"

NB_MODULE(_core, module) {
    module.attr("__version__") = BUDGETREE_VERSION;
    budgetree::bind_basics(module);
    budgetree::bind_exact(module);
    budgetree::bind_ridge(module);
    budgetree::bind_routing(module);
    budgetree::bind_shards(module);
    budgetree::bind_growth(module);
    budgetree::bind_parts(module);
}
