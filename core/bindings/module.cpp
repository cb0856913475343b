// budgetree._core: the only folder that knows Python. Arrays and records in, arrays and records out.
#include "arrays.hpp"

NB_MODULE(_core, module) {
    budgetree::bind_basics(module);
    budgetree::bind_growth(module);
    budgetree::bind_parts(module);
}
