// Ridge for Python.
#include "models/ridge.hpp"

#include "bindings/arrays.hpp"
#include "bindings/bindings.hpp"

namespace budgetree {
namespace {

// The cases and the arrays that they look into.
class Ridge {
public:
    Ridge(Matrix<std::uint8_t> codes, Array<std::int32_t> labels, Array<double> weights,
          const std::vector<Matrix<double>>& bases, int n_classes)
        : codes_(std::move(codes)), labels_(std::move(labels)), weights_(std::move(weights)) {
        cases_ = {{codes_.data(), codes_.size()}, as_span(labels_), as_span(weights_), {}, n_classes};
        for (const Matrix<double>& basis : bases) {
            cases_.bases.push_back({{basis.data(), basis.data() + basis.size()}, basis.shape(1)});
        }
        if (const char* fault = find_fault(cases_)) throw std::invalid_argument(fault);
    }

    nb::object fit(const std::vector<TestSet>& sets, int threads, Clock& clock) const {
        for (const TestSet& tests : sets) check(tests);
        require(threads >= 1, "threads: expected at least 1");
        auto fits = interruptible(clock, [&] { return fit_ridges(cases_, sets, threads, clock); });
        if (!fits) return nb::none();
        nb::list coefficients;
        std::vector<float> losses;
        losses.reserve(sets.size() * cases_.n_cases());
        const std::size_t n_classes = std::size_t(cases_.n_classes);
        for (RidgeFit& fit : *fits) {
            losses.insert(losses.end(), fit.losses.begin(), fit.losses.end());
            const std::size_t n_columns = fit.coefficients.size() / n_classes;
            coefficients.append(as_numpy(std::move(fit.coefficients), {n_classes, n_columns}));
        }
        return nb::make_tuple(coefficients, as_numpy(std::move(losses), {sets.size(), cases_.n_cases()}));
    }

    nb::object honest(const TestSet& tests) const {
        check(tests);
        HonestRidge fit = without_gil([&] { return fit_honest_ridge(cases_, tests); });
        const std::size_t n_classes = std::size_t(cases_.n_classes), n_columns = fit.coefficients.size() / n_classes;
        return nb::make_tuple(as_numpy(std::move(fit.coefficients), {n_classes, n_columns}),
                              as_numpy(std::move(fit.probabilities), {cases_.n_cases(), n_classes}));
    }

private:
    void check(const TestSet& tests) const {
        for (const int test : tests) {
            require(test >= 0 && std::size_t(test) < cases_.bases.size(), "sets: expected numbers of tests");
        }
    }

    Matrix<std::uint8_t> codes_;
    Array<std::int32_t> labels_;
    Array<double> weights_;
    RidgeCases cases_;
};

}  // namespace

void bind_models(nb::module_& module) {
    nb::class_<Ridge>(module, "Ridge", "Cases for ridge regression on sets of tests; the arrays are not copied.")
        .def(nb::init<Matrix<std::uint8_t>, Array<std::int32_t>, Array<double>, const std::vector<Matrix<double>>&,
                      int>(),
             "codes"_a, "labels"_a, "weights"_a, "bases"_a, "n_classes"_a)
        .def("fit", &Ridge::fit, "sets"_a, "threads"_a, "clock"_a,
             "Per set the coefficients (class × column), and set × case the honest losses; None if out of time.")
        .def("honest", &Ridge::honest, "tests"_a,
             "The coefficients (class × column), and case × class the probabilities by the model without the case.");
}

}  // namespace budgetree
