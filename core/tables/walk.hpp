// Routing: where each row of codes ends in a tree, and what it has paid on the way.
//
//     test           per node         the test done there; -1 in a leaf
//     first_branch   per node         where its branches begin
//     branches       per branch       the node that the outcome leads to; -1 where no known case went
//     n_outcomes     per test         codes from there on are not on its list
//     price          node × outcome   own price and fees due; the last column for an outcome that is not on the list
//
// A row reads a few bytes of its codes and a few cells of these arrays, which stay in the processor's cache. Rows are
// independent: threads take them in blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/clock.hpp"

namespace budgetree {

struct Route {
    std::span<const std::int32_t> test;
    std::span<const std::int64_t> first_branch;
    std::span<const std::int32_t> branches;
    std::span<const std::int64_t> n_outcomes;
    std::span<const std::int64_t> price;

    std::size_t price_width() const { return price.size() / test.size(); }
};

// What is wrong with the arrays; nullptr where no walk can leave them or go round in circles.
const char* find_fault(const Route& route);

// Rows of codes, and for each the node where it ends and the units that it paid.
struct Walks {
    std::span<const std::uint8_t> codes;
    std::span<std::int32_t> node;
    std::span<std::int64_t> paid;
};

// Fills node and paid, as far as the clock lets it.
void walk(const Route& route, const Walks& walks, Clock& clock, int n_threads);

}  // namespace budgetree
