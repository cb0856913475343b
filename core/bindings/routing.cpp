// Route for Python.
#include "../routing.hpp"

#include <stdexcept>
#include <thread>

#include "arrays.hpp"
#include "bindings.hpp"

namespace budgetree {
namespace {

template <typename T>
using Filled = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

Route look_into(const Array<std::int32_t>& test, const Array<std::int64_t>& first_branch,
                const Array<std::int32_t>& branches, const Array<std::int64_t>& n_outcomes,
                const Matrix<std::int64_t>& price) {
    const std::span prices(price.data(), price.size());
    return {as_span(test), as_span(first_branch), as_span(branches), as_span(n_outcomes), prices};
}

// The route and the arrays that it looks into.
class KeptRoute {
public:
    KeptRoute(Array<std::int32_t> test, Array<std::int64_t> first_branch, Array<std::int32_t> branches,
              Array<std::int64_t> n_outcomes, Matrix<std::int64_t> price)
        : route_(look_into(test, first_branch, branches, n_outcomes, price)), test_(std::move(test)),
          first_branch_(std::move(first_branch)), branches_(std::move(branches)), n_outcomes_(std::move(n_outcomes)),
          price_(std::move(price)) {
        if (price_.shape(0) != test_.shape(0)) throw std::invalid_argument("price: expected one row per node");
        if (const char* fault = find_fault(route_)) throw std::invalid_argument(fault);
    }

    void fill(const Matrix<std::uint8_t>& codes, const Filled<std::int32_t>& node, const Filled<std::int64_t>& paid,
              Clock& clock, std::optional<int> threads) const {
        if (codes.shape(1) != n_outcomes_.shape(0)) throw std::invalid_argument("codes: expected one column per test");
        if (node.shape(0) != codes.shape(0) || paid.shape(0) != codes.shape(0)) {
            throw std::invalid_argument("node, paid: expected one entry per row of codes");
        }
        if (threads && *threads < 1) throw std::invalid_argument("threads: expected at least 1");
        const Walks walks{{codes.data(), codes.size()}, {node.data(), node.size()}, {paid.data(), paid.size()}};
        const int n_threads = threads.value_or(int(std::thread::hardware_concurrency()));
        interruptible(clock, [&] {
            walk(route_, walks, clock, n_threads);
            return true;
        });
    }

private:
    Route route_;
    Array<std::int32_t> test_;
    Array<std::int64_t> first_branch_;
    Array<std::int32_t> branches_;
    Array<std::int64_t> n_outcomes_;
    Matrix<std::int64_t> price_;
};

}  // namespace

void bind_routing(nb::module_& module) {
    nb::class_<KeptRoute>(module, "Route", "A tree as the arrays that a walk through it reads; they are not copied.")
        .def(nb::init<Array<std::int32_t>, Array<std::int64_t>, Array<std::int32_t>, Array<std::int64_t>,
                      Matrix<std::int64_t>>(),
             "test"_a, "first_branch"_a, "branches"_a, "n_outcomes"_a, "price"_a)
        .def("walk", &KeptRoute::fill, "codes"_a, "node"_a.noconvert(), "paid"_a.noconvert(), "clock"_a,
             "threads"_a = nb::none(), "Fills in, for every row of codes, the node where it ends and what it paid.");
}

}  // namespace budgetree
