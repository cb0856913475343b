#include "models/boosting.hpp"

#include <algorithm>
#include <barrier>
#include <bit>
#include <cmath>
#include <exception>
#include <limits>
#include <mutex>
#include <numeric>
#include <thread>

#include "base/elementary.hpp"
#include "models/boosting_bins.hpp"
#include "models/boosting_tree.hpp"

namespace budgetree {
namespace {

constexpr std::size_t kMaxRows = std::size_t(1) << 24;  // counts and curvatures share a word

// What all models of a call look at.
struct Shared {
    explicit Shared(const BoostingRequest& request)
        : request(request), binned(request.rows, request.tests, BoostingSettings::kMaxBins),
          scale(request.rows.n_rows(), total_weight(request.rows)) {}

    static double total_weight(const CodedRows& rows) {
        if (rows.weights.empty()) return double(rows.n_rows());
        return std::accumulate(rows.weights.begin(), rows.weights.end(), 0.0);
    }

    const BoostingRequest& request;
    BinnedRows binned;
    GradientScale scale;
};

std::int64_t to_whole(double x) {
    return std::bit_cast<std::int64_t>(x + kRounding) - std::bit_cast<std::int64_t>(kRounding);
}

// A model that leaves one part out. Its rows: first those that it learns from, then those left out.
class PartModel {
public:
    PartModel(const Shared& shared, std::int32_t part)
        : shared_(shared), n_columns_(shared.request.n_columns()), rows_(rows_without(shared.request, part)),
          n_in_(rows_.n_in), grower_(shared.binned, bins_of(rows_.numbers), n_in_, shared.request, shared.scale) {
        const CodedRows& rows = shared.request.rows;
        for (const std::int32_t row : rows_.numbers) {
            labels_.push_back(rows.labels[row]);
            weights_.push_back(rows.weight(row));
            const std::span start = shared.request.start.subspan(std::size_t(row) * n_columns_, n_columns_);
            scores_.insert(scores_.end(), start.begin(), start.end());
        }
        trees_.n_columns = n_columns_;
        gradients_.resize(n_in_ * n_columns_);
        raised_.resize(n_columns_);
    }

    // One more tree.
    void advance() {
        n_columns_ == 1 ? find_gradients_of_two() : find_gradients();
        grower_.grow(gradients_, trees_);
        grower_.visit_leaves([&](const BoostingLeaf& leaf) {
            for (const std::span rows : {leaf.rows, leaf.out_rows}) {
                for (const std::int32_t row : rows) {
                    double* scores = &scores_[std::size_t(row) * n_columns_];
                    for (std::size_t column = 0; column < n_columns_; ++column) scores[column] += leaf.values[column];
                }
            }
        });
    }

    // Of the rows left out, times their weights.
    double loss() {
        double sum = 0.0;
        for (std::size_t row = n_in_; row < labels_.size(); ++row) {
            const double* scores = &scores_[row * n_columns_];
            if (n_columns_ == 1) {
                const double margin = labels_[row] == 1 ? scores[0] : -scores[0];
                const double log = logarithm(1 + exponential(-std::abs(margin)));
                sum += weights_[row] * (log + std::max(-margin, 0.0));
            } else {
                const double highest = *std::max_element(scores, scores + n_columns_);
                const double total = raise(scores, highest);
                sum += weights_[row] * (logarithm(total) + highest - scores[labels_[row]]);
            }
        }
        return sum;
    }

    // The scores of the rows left out, at their places among all rows.
    void write_scores(double* scores) const {
        for (std::size_t row = n_in_; row < labels_.size(); ++row) {
            std::copy_n(&scores_[row * n_columns_], n_columns_, scores + std::size_t(rows_.numbers[row]) * n_columns_);
        }
    }

    // Its first trees.
    BoostedTrees take_trees(int n_trees) {
        if (trees_.tree_start.empty()) trees_.tree_start.push_back(0);
        trees_.tree_start.resize(std::size_t(n_trees) + 1);
        const auto n_nodes = std::size_t(trees_.tree_start.back());
        for (auto* numbers : {&trees_.test, &trees_.left, &trees_.right}) numbers->resize(n_nodes);
        for (auto* bytes : {&trees_.cut, &trees_.is_nominal, &trees_.default_left}) bytes->resize(n_nodes);
        trees_.value.resize(n_nodes * n_columns_);
        return std::move(trees_);
    }

    // About how many nanoseconds a round took.
    std::int64_t work() const { return grower_.work() + std::int64_t(labels_.size() * (2 + 12 * n_columns_)); }

private:
    struct Rows {
        std::vector<std::int32_t> numbers;
        std::size_t n_in;
    };

    static Rows rows_without(const BoostingRequest& request, std::int32_t part) {
        Rows rows{std::vector<std::int32_t>(request.rows.n_rows()), 0};
        std::iota(rows.numbers.begin(), rows.numbers.end(), 0);
        const auto out = std::ranges::stable_partition(
            rows.numbers, [&](std::int32_t row) { return part < 0 || request.parts[row] != part; });
        rows.n_in = rows.numbers.size() - out.size();
        return rows;
    }

    std::vector<std::uint8_t> bins_of(const std::vector<std::int32_t>& numbers) const {
        const std::size_t stride = shared_.binned.n_tests();
        std::vector<std::uint8_t> bins;
        bins.reserve(numbers.size() * stride);
        for (const std::int32_t row : numbers) {
            const auto from = shared_.binned.bins.begin() + std::ptrdiff_t(std::size_t(row) * stride);
            bins.insert(bins.end(), from, from + std::ptrdiff_t(stride));
        }
        return bins;
    }

    // e to the power of each score less the highest; their sum.
    double raise(const double* scores, double highest) {
        double total = 0.0;
        for (std::size_t column = 0; column < n_columns_; ++column) {
            raised_[column] = exponential(scores[column] - highest);
        }
        for (const double part : raised_) total += part;
        return total;
    }

    void find_gradients_of_two() {
        const GradientScale scale = shared_.scale;
        const std::int64_t one_row = std::int64_t(1) << scale.count_shift;
        for (std::size_t row = 0; row < n_in_; ++row) {
            const double score = scores_[row], raised = exponential(-std::abs(score)), inverse = 1 / (1 + raised);
            const double p = score >= 0 ? inverse : raised * inverse;
            const double curvature = raised * inverse * inverse + BoostingSettings::kLeastCurvature;
            gradients_[row].gradient = to_whole((double(labels_[row]) - p) * (weights_[row] * scale.to_gradient));
            gradients_[row].curvature = to_whole(curvature * (weights_[row] * scale.to_curvature)) + one_row;
        }
    }

    void find_gradients() {
        const GradientScale& scale = shared_.scale;
        for (std::size_t row = 0; row < n_in_; ++row) {
            const double* scores = &scores_[row * n_columns_];
            GradientPair* gradients = &gradients_[row * n_columns_];
            const double inverse = 1 / raise(scores, *std::max_element(scores, scores + n_columns_));
            for (std::size_t column = 0; column < n_columns_; ++column) {
                const double p = raised_[column] * inverse;
                const double answer = column == std::size_t(labels_[row]) ? 1.0 : 0.0;
                const double curvature = p * (1 - p) + BoostingSettings::kLeastCurvature;
                gradients[column].gradient = to_whole((answer - p) * (weights_[row] * scale.to_gradient));
                gradients[column].curvature = to_whole(curvature * (weights_[row] * scale.to_curvature));
            }
            gradients->curvature += std::int64_t(1) << scale.count_shift;
        }
    }

    const Shared& shared_;
    std::size_t n_columns_;
    Rows rows_;
    std::size_t n_in_;
    BoostingTreeGrower grower_;
    std::vector<std::int32_t> labels_;
    std::vector<double> weights_, scores_;  // per row; row × column
    std::vector<GradientPair> gradients_;
    std::vector<double> raised_;  // per column
    BoostedTrees trees_;
};

// All parts round by round, until the loss of the rows left out has not fallen for a while.
class Rounds {
public:
    Rounds(const Shared& shared, int n_parts, Clock& clock)
        : settings_(shared.request.settings), clock_(clock), part_losses_(std::size_t(n_parts)) {
        for (std::int32_t part = 0; part < n_parts; ++part) models_.emplace_back(shared, part);
        found_.scores.assign(shared.request.start.size(), std::numeric_limits<double>::quiet_NaN());
        found_.losses.reserve(std::size_t(settings_.max_rounds) + 1);
        for (std::size_t row = 0; row < shared.request.parts.size(); ++row) {
            if (shared.request.parts[row] >= 0) weight_ += shared.request.rows.weight(row);
        }
        for (std::size_t part = 0; part < models_.size(); ++part) part_losses_[part] = models_[part].loss();
        judge();
    }

    void run(int n_threads) {
        const int n_workers = std::min(n_threads, int(models_.size()));
        std::barrier round(n_workers, [this]() noexcept { judge(); });
        const auto work = [&](int worker, Watch watch) {
            while (!is_done_) {
                for (auto part = std::size_t(worker); part < models_.size(); part += std::size_t(n_workers)) {
                    advance(part, watch);
                }
                round.arrive_and_wait();
            }
        };
        {
            std::vector<std::jthread> others;
            for (int worker = 1; worker < n_workers; ++worker) {
                others.emplace_back([&work, worker, this] { work(worker, Watch(clock_, Watch::Thread::kOther)); });
            }
            work(0, Watch(clock_));
        }
        if (error_) std::rethrow_exception(error_);
    }

    Boosted take() {
        for (PartModel& model : models_) found_.models.push_back(model.take_trees(found_.n_rounds));
        return std::move(found_);
    }

private:
    void advance(std::size_t part, Watch& watch) {
        if (clock_.is_stopped()) return;
        try {
            models_[part].advance();
            part_losses_[part] = models_[part].loss();
            watch.is_over(models_[part].work());
        } catch (...) {
            const std::lock_guard lock(mutex_);
            error_ = std::current_exception();
        }
    }

    // By one thread, while the others wait.
    void judge() noexcept {
        const double loss = std::accumulate(part_losses_.begin(), part_losses_.end(), 0.0) / weight_;
        const auto n_rounds = int(found_.losses.size());
        found_.losses.push_back(loss);
        if (n_rounds == 0 || loss < least_loss_ - BoostingSettings::kLeastImprovement) {
            least_loss_ = loss;
            found_.n_rounds = n_rounds;
            for (const PartModel& model : models_) model.write_scores(found_.scores.data());
        }
        is_done_ = error_ || clock_.is_stopped() || n_rounds == settings_.max_rounds ||
                   n_rounds - found_.n_rounds >= settings_.patience;
    }

    const BoostingSettings& settings_;
    Clock& clock_;
    std::vector<PartModel> models_;
    std::vector<double> part_losses_;
    double weight_ = 0.0, least_loss_ = 0.0;
    bool is_done_ = false;
    std::mutex mutex_;
    std::exception_ptr error_;
    Boosted found_;
};

}  // namespace

const char* find_fault(const BoostingSettings& settings) {
    if (settings.n_leaves < 1 || settings.n_leaves > 4096) return "n_leaves: expected 1 to 4096";
    if (!(settings.rate > 0) || settings.rate > 1) return "rate: expected a number above 0, at most 1";
    if (!(settings.ridge > 0) || std::isinf(settings.ridge)) return "ridge: expected a finite number above 0";
    if (settings.min_leaf < 1) return "min_leaf: expected at least 1";
    if (settings.max_rounds < 0 || settings.max_rounds > 100'000) return "max_rounds: expected 0 to 100000";
    if (settings.patience < 1) return "patience: expected at least 1";
    return nullptr;
}

const char* find_fault(const BoostingRequest& request) {
    const std::size_t n_rows = request.rows.n_rows();
    if (n_rows > kMaxRows) return "rows: expected at most 2^24";
    if (request.tests.empty()) return "tests: expected at least one";
    if (std::isinf(Shared::total_weight(request.rows))) return "weights: expected a finite sum";
    if (request.start.size() != n_rows * request.n_columns()) return "start: expected row × column";
    if (std::ranges::any_of(request.start, [](double score) { return !(std::abs(score) <= 700); })) {
        return "start: expected scores from -700 to 700";
    }
    if (request.parts.size() != n_rows) return "parts: expected one per row";
    if (std::ranges::min(request.parts) < -1) return "parts: expected numbers of parts or -1";
    const std::int32_t last = std::ranges::max(request.parts);
    if (last < 0 || last >= 1024) return "parts: expected 1 to 1024 parts";
    std::vector<std::size_t> n_by_part(std::size_t(last) + 1, 0);
    for (const std::int32_t part : request.parts) {
        if (part >= 0) ++n_by_part[std::size_t(part)];
    }
    if (std::ranges::min(n_by_part) == 0) return "parts: expected rows of every part up to the largest";
    if (std::ranges::max(n_by_part) == n_rows) return "parts: expected rows that are not of the same part";
    return nullptr;
}

std::optional<Boosted> boost(const BoostingRequest& request, int n_threads, Clock& clock) {
    const Shared shared(request);
    Rounds rounds(shared, std::ranges::max(request.parts) + 1, clock);
    rounds.run(n_threads);
    if (clock.is_stopped()) return std::nullopt;
    Boosted found = rounds.take();
    if (request.settings.refits) {
        PartModel model(shared, -1);
        Watch watch(clock);
        for (int round = 0; round < found.n_rounds; ++round) {
            model.advance();
            if (watch.is_over(model.work())) return std::nullopt;
        }
        found.refit = model.take_trees(found.n_rounds);
    }
    return found;
}

}  // namespace budgetree
