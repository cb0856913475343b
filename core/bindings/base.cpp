// The clock and the processor for Python.
#include <nanobind/stl/string.h>

#include <limits>

#include "bindings/arrays.hpp"
#include "bindings/bindings.hpp"
#include "simd/processor.hpp"

namespace budgetree {

std::unique_ptr<Clock> clock_for_python(std::optional<double> seconds, std::optional<nb::callable> tick,
                                        std::optional<std::int64_t> max_work) {
    auto ask = [tick = std::move(tick)](const Clock& clock) {
        nb::gil_scoped_acquire acquire;
        if (PyErr_CheckSignals() != 0) return true;
        if (!tick) return false;
        PyObject* said = PyObject_CallFunction(tick->ptr(), "LL", static_cast<long long>(clock.done.load()),
                                               static_cast<long long>(clock.total.load()));
        Py_XDECREF(said);
        return said == nullptr;
    };
    return std::make_unique<Clock>(seconds.value_or(std::numeric_limits<double>::infinity()), std::move(ask),
                                   max_work.value_or(Clock::kAnyWork));
}

void bind_base(nb::module_& module) {
    module.def("processor", &processor_name, "Which vector instructions are in use.");
    nb::class_<Clock>(module, "Clock",
                      "Seconds that a call may take, and nanoseconds of counted work (None: no limit).")
        .def(nb::new_(&clock_for_python), "seconds"_a = nb::none(), "tick"_a = nb::none(), "max_work"_a = nb::none())
        .def_prop_ro("work", &Clock::work)
        .def("stop", &Clock::stop)
        .def_prop_ro("is_stopped", &Clock::is_stopped)
        .def_prop_ro("was_interrupted", &Clock::was_interrupted);
}

}  // namespace budgetree
