// SPDX-License-Identifier: BSD-3-Clause
// Trains a small convolutional network on handwritten digits. The program plays the role of a framework: every forward,
// backward and optimiser step is a call of an operator of the contract.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "digits.hpp"
#include "network.hpp"

namespace {

constexpr int64_t kBatch = 64;
constexpr double kLearningRate = 2e-3;
constexpr double kGoal = 0.975;

struct Options {
  std::string library = TRAIN_DIGITS_LIBRARY;
  std::string data = TRAIN_DIGITS_DATA;
  int64_t epochs = 15;
  uint64_t seed = 0;
};

constexpr char kUsage[] =
    "usage: train_digits [--epochs N] [--seed N] [--library PATH] [--data PATH]\n"
    "\n"
    "Trains a convolutional network on 8 x 8 images of handwritten digits through a vendor's library.\n"
    "\n"
    "  --epochs N       passes over the training data (15)\n"
    "  --seed N         of weights, order and dropout (0); the held-out fifth is always the same\n"
    "  --library PATH   the vendor's library (the one built beside this program)\n"
    "  --data PATH      lines of 64 pixels and a label (examples/data/digits.csv)\n"
    "  --help           this text\n"
    "\n"
    "exit status: 0 where 97.5 % of the held-out digits are read right in the end, 1 where not or where a call\n"
    "failed, 2 for wrong usage\n";

bool parse_number(const char* text, int64_t least, int64_t* number) {
  char* end = nullptr;
  *number = std::strtoll(text, &end, 10);
  return end != text && *end == '\0' && *number >= least;
}

// Returns 0 to go on, otherwise 1 + the exit status.
int parse(int argc, char** argv, Options* options) {
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name == "--help" || name == "-h") {
      std::fputs(kUsage, stdout);
      return 1 + 0;
    }
    const char* const value = i + 1 < argc ? argv[++i] : nullptr;
    int64_t number = 0;
    bool good = value != nullptr;
    if (name == "--epochs") {
      good = good && parse_number(value, 1, &options->epochs);
    } else if (name == "--seed") {
      good = good && parse_number(value, 0, &number);
      options->seed = static_cast<uint64_t>(number);
    } else if (name == "--library") {
      options->library = good ? value : "";
    } else if (name == "--data") {
      options->data = good ? value : "";
    } else {
      std::fprintf(stderr, "train_digits: unknown option %s\n%s", name.c_str(), kUsage);
      return 1 + 2;
    }
    if (!good) {
      std::fprintf(stderr, "train_digits: %s needs a value%s\n%s", name.c_str(),
                   value != nullptr ? " that is a number" : "", kUsage);
      return 1 + 2;
    }
  }
  return 0;
}

// Loss and number of correct results of one pass, summed on the device.
class Tally {
 public:
  explicit Tally(Session& session) : loss_(session.tensor({})), correct_(session.tensor({}, diopi_dtype_int64)) {
    const diopiScalar_t zero = scalar(int64_t{0});
    session.call(session.op.Fill, loss_, &zero);
    session.call(session.op.Fill, correct_, &zero);
  }
  void add_loss(Session& session, diopiTensorHandle_t mean, int64_t count) {
    const diopiScalar_t weight = scalar(static_cast<double>(count));
    session.call(session.op.AddInp, loss_, mean, &weight);
  }
  void add_correct(Session& session, diopiTensorHandle_t count) {
    const diopiScalar_t one = scalar(int64_t{1});
    session.call(session.op.AddInp, correct_, count, &one);
  }
  double loss(Session& session) const { return session.download_one<float>(loss_); }
  int64_t correct(Session& session) const { return session.download_one<int64_t>(correct_); }

 private:
  Tensor loss_, correct_;
};

struct PassResult {
  double loss;
  double accuracy;
};

// The rows of `set` with the numbers order[start, start + count).
struct Batch {
  diopiTensorHandle_t images, labels;
};
Batch take(Session& session, const DataSet& set, diopiTensorHandle_t order, int64_t start, int64_t count) {
  const diopiTensorHandle_t rows = session.view(order, {count}, start);
  const Batch batch{session.temporary({count, 1, 8, 8}), session.temporary({count}, diopi_dtype_int64)};
  session.call(session.op.IndexSelect, batch.images, set.images, int64_t{0}, rows);
  session.call(session.op.IndexSelect, batch.labels, set.labels, int64_t{0}, rows);
  return batch;
}

PassResult train_epoch(Session& session, Network& network, Adam& adam, const DataSet& set, double learning_rate) {
  Tally tally(session);
  const Tensor order = session.tensor({set.count}, diopi_dtype_int64);
  session.call(session.op.Randperm, order, set.count, session.generator());
  for (int64_t start = 0; start < set.count; start += kBatch) {
    const int64_t count = std::min(kBatch, set.count - start);
    const Batch batch = take(session, set, order, start, count);
    adam.clear_gradients(session);
    const diopiTensorHandle_t scores = network.forward(session, batch.images, true);
    const Loss loss = cross_entropy(session, scores, batch.labels);
    network.backward(session, loss.gradient);
    adam.step(session, learning_rate);
    tally.add_loss(session, loss.value, count);
    tally.add_correct(session, count_correct(session, scores, batch.labels));
    session.end_step();
  }
  const auto total = static_cast<double>(set.count);
  return {tally.loss(session) / total, static_cast<double>(tally.correct(session)) / total};
}

double evaluate(Session& session, Network& network, const DataSet& set) {
  Tally tally(session);
  const diopiTensorHandle_t scores = network.forward(session, set.images, false);
  tally.add_correct(session, count_correct(session, scores, set.labels));
  session.end_step();
  return static_cast<double>(tally.correct(session)) / static_cast<double>(set.count);
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// By default, threads of a vendor's OpenMP pool wait actively for milliseconds. The steps of this network are shorter.
// On a busy machine such a waiting thread occupies the processor that the awaited thread needs: ten times the time was
// measured. The vendor's library reads the variable when it loads its OpenMP library; a value that the caller has set
// is kept.
void wait_briefly() {
  if (std::getenv("OMP_WAIT_POLICY") == nullptr) setenv("GOMP_SPINCOUNT", "1000", 0);
}

// Trains the network and returns the accuracy on the held-out digits after the last epoch.
double train(const Options& options) {
  Session session(options.library, options.seed);
  const Split data = load_digits(session, options.data);
  std::printf("vendor %s: %lld digits to learn from, %lld held out\n", session.vendor().c_str(),
              static_cast<long long>(data.train.count), static_cast<long long>(data.held_out.count));
  Network network(session);
  Adam adam(network.parameters());
  double accuracy = 0.0;
  for (int64_t epoch = 0; epoch < options.epochs; ++epoch) {
    const auto start = std::chrono::steady_clock::now();
    // The learning rate follows half a cosine, from the full rate to zero.
    const double progress = static_cast<double>(epoch) / static_cast<double>(options.epochs);
    const double rate = kLearningRate * 0.5 * (1.0 + std::cos(3.14159265358979 * progress));
    const PassResult result = train_epoch(session, network, adam, data.train, rate);
    accuracy = evaluate(session, network, data.held_out);
    std::printf("epoch %2lld/%lld  loss %.4f  train accuracy %.4f  held-out accuracy %.4f  %.2f s\n",
                static_cast<long long>(epoch + 1), static_cast<long long>(options.epochs), result.loss, result.accuracy,
                accuracy, seconds_since(start));
    std::fflush(stdout);
  }
  return accuracy;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (const int status = parse(argc, argv, &options)) return status - 1;
  wait_briefly();
  const auto start = std::chrono::steady_clock::now();
  double accuracy = 0.0;
  try {
    accuracy = train(options);
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "train_digits: %s\n", failure.what());
    return 1;
  }
  const bool reached = accuracy >= kGoal;
  std::printf("held-out accuracy %.2f %%, goal %.1f %%: %s, %.1f s\n", 100 * accuracy, 100 * kGoal,
              reached ? "reached" : "missed", seconds_since(start));
  return reached ? 0 : 1;
}
