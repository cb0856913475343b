// A lower bound that rises while a search is under way: one proof for many first tests.
//
//     test a   ██████████████░░░░      F lies inside one part of each of the tests a, b, c: whichever of them a tree
//     test b   ░░████████████████      begins with, F stays together, and the tree has at least the errors that F alone
//     test c   ████████████████░░      has with what is left of the budget. One proof refutes the whole group.
//     F          ████████████
//
// Groups are built from chains of heavier parts, each cut out of the one before. A chain ends where F becomes too light
// to be worth a proof; how light that is, is learned on the way: a proof that succeeds lets the next chain go a little
// further, one that fails cuts the chain in half. The mass of a case is how hard it is to classify (one minus what a
// naive Bayes model gives its own class): it steers, and proves nothing.
#pragma once

#include <unordered_map>
#include <vector>

#include "exact.hpp"

namespace budgetree {

class CommonCore {
public:
    CommonCore(Search& search, Watch watch);

    // No tree on the whole within the budget has fewer errors than this: `wanted` or more if that could be proven, else
    // whatever could.
    Units lower_bound(const Remaining& remaining, Units wanted);

private:
    struct Stopped {};
    struct Link {  // of a chain: a test, the part that F stays in, and F
        int test, outcome;
        std::vector<std::int32_t> objects;
    };
    struct Known {
        Units bound = 0, failed_at = kNever;
    };
    struct KeyHash {
        std::size_t operator()(const Key& key) const { return key.first; }
    };
    // Per test and outcome, the mass of the cases of F that show it.
    struct Masses {
        std::vector<double> by_outcome;
        int width;
        double& at(int test, int outcome) { return by_outcome[std::size_t(test) * width + outcome]; }
    };

    Units bound(std::span<const std::int32_t> objects, const Remaining& remaining, Units wanted, int depth);
    Units bound_by_groups(const ObjectSet& set, const Remaining& remaining, Units wanted, int depth);
    Units refute_group(const ObjectSet& set, const Remaining& remaining, Units wanted, int depth, std::vector<Link>& chain);
    std::vector<Link> make_chain(const ObjectSet& set, const std::vector<std::int32_t>& tests, double least_mass) const;
    Masses weigh(std::span<const std::int32_t> objects, const std::vector<std::int32_t>& tests) const;
    Remaining after(const Remaining& remaining, std::span<const Link> group) const;
    std::vector<std::int32_t> part_of(std::span<const std::int32_t> objects, int test, int outcome) const;
    void weigh_cases();
    double& need_at(int depth);

    const ExactTable& table_;
    Search& search_;
    Watch watch_;
    std::vector<double> mass_;  // per case
    std::vector<double> need_;  // per depth, the mass from which on a proof is tried
    Units four_tests_;          // the least price of four tests
    std::unordered_map<Key, Known, KeyHash> known_;
};

}  // namespace budgetree
