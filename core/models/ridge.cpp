#include "models/ridge.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <thread>
#include <utility>

#include "simd/ridge_simd.hpp"

namespace budgetree {
namespace {

constexpr RidgeSettings kSettings;
constexpr std::size_t kManyCases = 50'000;  // from there on every eighth says where the others begin
constexpr std::size_t kEvery = 8;

// The cases by what the tests of a set say of them, numbered in the order in which they come first.
struct Patterns {
    std::vector<std::int32_t> of_case;
    std::vector<std::int32_t> first_case;  // per pattern
};

Patterns find_patterns(const RidgeCases& cases, const TestSet& tests) {
    const std::size_t n_cases = cases.n_cases();
    Patterns patterns{std::vector<std::int32_t>(n_cases, 0), {0}};
    std::vector<std::int32_t> number;
    for (const int test : tests) {
        if (patterns.first_case.size() == n_cases) break;  // all differ: none can be split further
        const std::size_t n_outcomes = cases.bases[test].n_outcomes(256);
        number.assign(patterns.first_case.size() * n_outcomes, -1);
        patterns.first_case.clear();
        const std::uint8_t* codes = cases.codes.data() + std::size_t(test) * n_cases;
        for (std::size_t i = 0; i < n_cases; ++i) {
            std::int32_t& now = number[std::size_t(patterns.of_case[i]) * n_outcomes + codes[i]];
            if (now < 0) {
                now = std::int32_t(patterns.first_case.size());
                patterns.first_case.push_back(std::int32_t(i));
            }
            patterns.of_case[i] = now;
        }
    }
    return patterns;
}

// H = L Lᵀ in place, lower triangle. H is positive definite: the ridge sees to it.
void factorise(std::vector<double>& h, std::size_t size) {
    for (std::size_t row = 0; row < size; ++row) {
        for (std::size_t column = 0; column <= row; ++column) {
            double left = h[row * size + column];
            for (std::size_t k = 0; k < column; ++k) left -= h[row * size + k] * h[column * size + k];
            h[row * size + column] = row == column ? std::sqrt(left) : left / h[column * size + column];
        }
    }
}

// x = H⁻¹ x, by the factor.
void solve(const std::vector<double>& triangle, std::vector<double>& x) {
    const std::size_t size = x.size();
    for (std::size_t row = 0; row < size; ++row) {
        for (std::size_t k = 0; k < row; ++k) x[row] -= triangle[row * size + k] * x[k];
        x[row] /= triangle[row * size + row];
    }
    for (std::size_t row = size; row-- > 0;) {
        for (std::size_t k = row + 1; k < size; ++k) x[row] -= triangle[k * size + row] * x[k];
        x[row] /= triangle[row * size + row];
    }
}

class Regression {
public:
    Regression(const RidgeCases& cases, const TestSet& tests);

    // From coefficients that are nearly right.
    void begin_at(std::vector<double> coefficients);
    // False where the clock was over first.
    bool fit(Watch& watch);
    std::vector<double> take_coefficients() { return std::move(coefficients_); }
    std::vector<float> losses();
    std::vector<double> honest();

private:
    void lay_out(const TestSet& tests);
    void start();
    double step(int label);
    void factorise_hessian(int label);
    void raise(int label);
    void find_shifts();
    void leave_out(std::size_t pattern, int label, double weight, double* probabilities) const;

    // Of two classes the second alone has coefficients: its score is the log odds.
    int first_block() const { return cases_.n_classes == 2 ? 1 : 0; }
    Columns columns() const { return {design_.data(), n_columns_, length_}; }
    double probability(std::size_t pattern, int label) const {
        return raised_[std::size_t(label) * length_ + pattern] / total_[pattern];
    }

    const RidgeCases& cases_;
    Patterns patterns_;
    std::size_t n_patterns_, length_;  // length: filled up to whole vectors
    std::size_t n_columns_ = 1;
    std::vector<double> design_;                 // column × pattern
    std::vector<double> weight_, class_weight_;  // per pattern; class × pattern
    std::vector<double> coefficients_;
    std::vector<double> score_, raised_, total_;  // class × pattern twice; per pattern
    std::vector<double> hessian_, gradient_, curvature_, residual_, scratch_, solved_;
    std::vector<double> leverage_;  // class × pattern: h
};

Regression::Regression(const RidgeCases& cases, const TestSet& tests)
    : cases_(cases), patterns_(find_patterns(cases, tests)), n_patterns_(patterns_.first_case.size()),
      length_((n_patterns_ + kPatternLanes - 1) / kPatternLanes * kPatternLanes) {
    for (const int test : tests) n_columns_ += cases.bases[test].width;
    lay_out(tests);
    start();
}

void Regression::lay_out(const TestSet& tests) {
    design_.assign(n_columns_ * length_, 0.0);
    std::fill_n(design_.begin(), n_patterns_, 1.0);
    double* column = design_.data() + length_;
    for (const int test : tests) {
        const OutcomeColumns& basis = cases_.bases[test];
        const std::uint8_t* codes = cases_.codes.data() + std::size_t(test) * cases_.n_cases();
        for (std::size_t part = 0; part < basis.width; ++part, column += length_) {
            for (std::size_t pattern = 0; pattern < n_patterns_; ++pattern) {
                column[pattern] = basis.values[codes[patterns_.first_case[pattern]] * basis.width + part];
            }
        }
    }
    const std::size_t n_classes = std::size_t(cases_.n_classes);
    weight_.assign(length_, 0.0);
    class_weight_.assign(n_classes * length_, 0.0);
    for (std::size_t i = 0; i < cases_.n_cases(); ++i) {
        const std::size_t pattern = std::size_t(patterns_.of_case[i]);
        weight_[pattern] += cases_.weights[i];
        class_weight_[std::size_t(cases_.labels[i]) * length_ + pattern] += cases_.weights[i];
    }
    score_.assign(n_classes * length_, 0.0);
    raised_.assign(n_classes * length_, 1.0);
    leverage_.assign(n_classes * length_, 0.0);
    total_.assign(length_, 1.0);
    hessian_.assign(n_columns_ * n_columns_, 0.0);
    gradient_.assign(n_columns_, 0.0);
    curvature_.assign(length_, 0.0);
    residual_.assign(length_, 0.0);
    scratch_.assign(length_, 0.0);
    solved_.assign(n_columns_ * kPatternLanes, 0.0);
}

// Every score begins as the classes' share of all cases.
void Regression::start() {
    const int n_classes = cases_.n_classes;
    coefficients_.assign(std::size_t(n_classes) * n_columns_, 0.0);
    std::vector<double> of_class(std::size_t(n_classes), 0.0);
    double all = 0.0;
    for (std::size_t i = 0; i < cases_.n_cases(); ++i) {
        of_class[std::size_t(cases_.labels[i])] += cases_.weights[i];
        all += cases_.weights[i];
    }
    const double base = n_classes == 2 ? of_class[0] + 0.5 : all + 0.5 * n_classes;
    for (int label = first_block(); label < n_classes; ++label) {
        const double score = std::log(of_class[std::size_t(label)] + 0.5) - std::log(base);
        coefficients_[std::size_t(label) * n_columns_] = score;
        std::fill_n(score_.begin() + std::ptrdiff_t(std::size_t(label) * length_), length_, score);
        std::fill_n(raised_.begin() + std::ptrdiff_t(std::size_t(label) * length_), length_, std::exp(score));
    }
    std::fill(total_.begin(), total_.end(), 0.0);
    for (std::size_t at = 0; at < raised_.size(); ++at) total_[at % length_] += raised_[at];
}

void Regression::begin_at(std::vector<double> coefficients) {
    coefficients_ = std::move(coefficients);
    for (int label = first_block(); label < cases_.n_classes; ++label) raise(label);
}

bool Regression::fit(Watch& watch) {
    const auto work = std::int64_t(length_ * n_columns_ * n_columns_ / 4 + 50 * length_);
    for (int sweep = 0; sweep < kSettings.max_sweeps; ++sweep) {
        double largest = 0.0;
        for (int label = first_block(); label < cases_.n_classes; ++label) {
            largest = std::max(largest, step(label));
            if (watch.is_over(work)) return false;
        }
        if (largest < kSettings.tolerance) break;
    }
    find_shifts();
    return true;
}

// One Newton step of a class's coefficients; how far the one that moves most would go.
double Regression::step(int label) {
    factorise_hessian(label);
    const double* of_class = class_weight_.data() + std::size_t(label) * length_;
    for (std::size_t pattern = 0; pattern < n_patterns_; ++pattern) {
        residual_[pattern] = of_class[pattern] - weight_[pattern] * probability(pattern, label);
    }
    ridge_kernels().project(columns(), residual_.data(), gradient_.data());
    double* coefficients = coefficients_.data() + std::size_t(label) * n_columns_;
    for (std::size_t j = 0; j < n_columns_; ++j) {
        gradient_[j] -= (j == 0 ? kSettings.intercept_ridge : kSettings.ridge) * coefficients[j];
    }
    solve(hessian_, gradient_);
    double moved = 0.0;
    for (const double by : gradient_) moved = std::max(moved, std::abs(by));
    const double shrink = moved > kSettings.max_step ? kSettings.max_step / moved : 1.0;
    for (std::size_t j = 0; j < n_columns_; ++j) coefficients[j] += shrink * gradient_[j];
    raise(label);
    return moved;
}

void Regression::factorise_hessian(int label) {
    for (std::size_t pattern = 0; pattern < n_patterns_; ++pattern) {
        const double p = probability(pattern, label);
        curvature_[pattern] = weight_[pattern] * (p * (1 - p) + kSettings.min_curvature);
    }
    ridge_kernels().gram(columns(), curvature_.data(), scratch_.data(), hessian_.data());
    for (std::size_t j = 0; j < n_columns_; ++j) {
        hessian_[j * n_columns_ + j] += j == 0 ? kSettings.intercept_ridge : kSettings.ridge;
    }
    factorise(hessian_, n_columns_);
}

// The scores of a class by its coefficients, and the normaliser summed again.
void Regression::raise(int label) {
    double* scores = score_.data() + std::size_t(label) * length_;
    double* raised = raised_.data() + std::size_t(label) * length_;
    ridge_kernels().score(columns(), coefficients_.data() + std::size_t(label) * n_columns_, scores);
    for (std::size_t pattern = 0; pattern < n_patterns_; ++pattern) {
        scores[pattern] = std::clamp(scores[pattern], -kSettings.max_score, kSettings.max_score);
        raised[pattern] = std::exp(scores[pattern]);
    }
    std::copy_n(raised_.begin(), length_, total_.begin());
    for (int other = 1; other < cases_.n_classes; ++other) {
        const double* more = raised_.data() + std::size_t(other) * length_;
        for (std::size_t pattern = 0; pattern < length_; ++pattern) total_[pattern] += more[pattern];
    }
}

void Regression::find_shifts() {
    for (int label = first_block(); label < cases_.n_classes; ++label) {
        factorise_hessian(label);
        ridge_kernels().leverage(columns(), hessian_.data(), solved_.data(),
                                 leverage_.data() + std::size_t(label) * length_);
    }
}

// The probabilities of a case of this class and pattern by the model without it.
void Regression::leave_out(std::size_t pattern, int label, double weight, double* probabilities) const {
    double highest = -2 * kSettings.max_score, sum = 0.0;
    for (int other = 0; other < cases_.n_classes; ++other) {
        const double p = probability(pattern, other);
        const double h = weight * leverage_[std::size_t(other) * length_ + pattern];
        const double pull = h / std::max(1 - p * (1 - p) * h, kSettings.min_left);
        probabilities[other] = score_[std::size_t(other) * length_ + pattern] - pull * ((other == label) - p);
        highest = std::max(highest, probabilities[other]);
    }
    for (int other = 0; other < cases_.n_classes; ++other) {
        probabilities[other] = std::exp(probabilities[other] - highest);
        sum += probabilities[other];
    }
    for (int other = 0; other < cases_.n_classes; ++other) probabilities[other] /= sum;
}

std::vector<float> Regression::losses() {
    constexpr float kUnknown = -1.0F;
    const std::size_t n_classes = std::size_t(cases_.n_classes);
    // Cases of one pattern and class that count once have the same loss.
    std::vector<float> known(n_patterns_ * n_classes, kUnknown), losses(cases_.n_cases());
    std::vector<double> probabilities(n_classes);
    for (std::size_t i = 0; i < losses.size(); ++i) {
        const std::size_t pattern = std::size_t(patterns_.of_case[i]);
        const int label = cases_.labels[i];
        float& same = known[pattern * n_classes + std::size_t(label)];
        if (cases_.weights[i] == 1 && same != kUnknown) {
            losses[i] = same;
            continue;
        }
        leave_out(pattern, label, cases_.weights[i], probabilities.data());
        double loss = 0.0;
        for (int other = 0; other < cases_.n_classes; ++other) {
            const double off = probabilities[std::size_t(other)] - (other == label);
            loss += off * off;
        }
        losses[i] = float(loss);
        if (cases_.weights[i] == 1) same = losses[i];
    }
    return losses;
}

std::vector<double> Regression::honest() {
    const std::size_t n_classes = std::size_t(cases_.n_classes);
    std::vector<double> probabilities(cases_.n_cases() * n_classes);
    for (std::size_t i = 0; i < cases_.n_cases(); ++i) {
        leave_out(std::size_t(patterns_.of_case[i]), cases_.labels[i], cases_.weights[i],
                  &probabilities[i * n_classes]);
    }
    return probabilities;
}

// Of every eighth case; some classes may have none.
std::vector<double> coefficients_of_some(const RidgeCases& cases, const TestSet& tests, Watch& watch) {
    std::vector<std::uint8_t> codes;
    std::vector<std::int32_t> labels;
    std::vector<double> weights;
    for (std::size_t at = 0; at < cases.codes.size(); ++at) {
        if (at % cases.n_cases() % kEvery == 0) codes.push_back(cases.codes[at]);
    }
    for (std::size_t i = 0; i < cases.n_cases(); i += kEvery) {
        labels.push_back(cases.labels[i]);
        weights.push_back(cases.weights[i]);
    }
    RidgeCases some = cases;
    some.codes = codes;
    some.labels = labels;
    some.weights = weights;
    Regression regression(some, tests);
    regression.fit(watch);
    return regression.take_coefficients();
}

}  // namespace

const char* find_fault(const RidgeCases& cases) {
    const std::size_t n_cases = cases.n_cases();
    if (n_cases == 0) return "labels: expected at least one case";
    if (cases.weights.size() != n_cases) return "weights: expected one per case";
    if (cases.codes.size() != n_cases * cases.bases.size()) return "codes: expected one row per test";
    if (cases.n_classes < 1) return "n_classes: expected at least 1";
    for (const double weight : cases.weights) {
        if (!(weight > 0)) return "weights: expected numbers above 0";
    }
    for (const std::int32_t label : cases.labels) {
        if (label < 0 || label >= cases.n_classes) return "labels: expected numbers below n_classes";
    }
    for (std::size_t test = 0; test < cases.bases.size(); ++test) {
        const std::span codes = cases.codes.subspan(test * n_cases, n_cases);
        if (*std::max_element(codes.begin(), codes.end()) >= cases.bases[test].n_outcomes(256)) {
            return "codes: expected outcomes that have a row in their test's basis";
        }
    }
    return nullptr;
}

std::optional<std::vector<RidgeFit>> fit_ridges(const RidgeCases& cases, std::span<const TestSet> sets, int n_threads,
                                                Clock& clock) {
    std::vector<RidgeFit> fits(sets.size());
    std::atomic<std::size_t> next = 0;
    const auto work = [&](Watch watch) {
        for (std::size_t at = next++; at < sets.size(); at = next++) {
            Regression regression(cases, sets[at]);
            if (!regression.fit(watch)) return;
            fits[at] = {regression.take_coefficients(), regression.losses()};
        }
    };
    {
        std::vector<std::jthread> others;
        for (int thread = 1; thread < std::min(n_threads, int(sets.size())); ++thread) {
            others.emplace_back([&] { work(Watch(clock, Watch::Thread::kOther)); });
        }
        work(Watch(clock));
    }
    if (clock.is_stopped()) return std::nullopt;
    return fits;
}

HonestRidge fit_honest_ridge(const RidgeCases& cases, const TestSet& tests) {
    Clock clock(INFINITY);
    Watch watch(clock, Watch::Thread::kOther);
    Regression regression(cases, tests);
    if (cases.n_cases() >= kManyCases) regression.begin_at(coefficients_of_some(cases, tests, watch));
    regression.fit(watch);
    std::vector<double> probabilities = regression.honest();
    return {regression.take_coefficients(), std::move(probabilities)};
}

}  // namespace budgetree
