// CostModel: what tests cost, in whole units.
//
//     own         test × outcome    without shared fees; rows are filled up with the test's costliest
//     costliest   per test          its costliest outcome: what a path must be able to pay before doing it
//     cheapest    per test          its cheapest outcome
//     fee_mask    per test          a bit for each shared fee that it needs
//     fees        per fee           paid once per path, with the first test that needs it
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

namespace budgetree {

using Units = std::int64_t;
using FeeSet = std::uint64_t;  // a bit per shared fee

class CostModel {
public:
    CostModel(std::vector<Units> own, int n_tests, std::vector<Units> fees, std::vector<FeeSet> fee_mask)
        : n_tests_(n_tests), width_(int(own.size()) / n_tests), own_(std::move(own)), fees_(std::move(fees)),
          fee_mask_(std::move(fee_mask)) {
        for (int test = 0; test < n_tests_; ++test) {
            const auto prices = of(test);
            costliest_.push_back(*std::max_element(prices.begin(), prices.end()));
            cheapest_.push_back(*std::min_element(prices.begin(), prices.end()));
            depends_on_outcome_ |= costliest_.back() != cheapest_.back();
        }
    }

    int n_tests() const { return n_tests_; }
    int width() const { return width_; }
    bool has_fees() const { return !fees_.empty(); }
    bool depends_on_outcome() const { return depends_on_outcome_; }  // the price of any test

    Units own(int test, int outcome) const { return own_[std::size_t(test) * width_ + outcome]; }
    std::span<const Units> of(int test) const { return std::span(own_).subspan(std::size_t(test) * width_, width_); }
    Units costliest(int test) const { return costliest_[test]; }
    Units cheapest(int test) const { return cheapest_[test]; }
    const std::vector<Units>& costliest() const { return costliest_; }
    const std::vector<Units>& cheapest() const { return cheapest_; }
    const std::vector<Units>& fees() const { return fees_; }
    FeeSet fee_mask(int test) const { return fee_mask_[test]; }

    // The fees of a test that a path has not paid yet.
    Units fees_due(int test, FeeSet paid) const {
        Units due = 0;
        for (FeeSet missing = fee_mask_[test] & ~paid; missing != 0; missing &= missing - 1) {
            due += fees_[std::countr_zero(missing)];
        }
        return due;
    }

    // What a path must have left to do the test.
    Units most(int test, FeeSet paid) const { return costliest_[test] + fees_due(test, paid); }

private:
    int n_tests_, width_;
    std::vector<Units> own_, fees_;
    std::vector<FeeSet> fee_mask_;
    std::vector<Units> costliest_, cheapest_;
    bool depends_on_outcome_ = false;
};

}  // namespace budgetree
