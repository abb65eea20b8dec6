// SPDX-License-Identifier: Apache-2.0
// The public operations, as calls that can be made over and over: what is done when an allocation in them fails is in
// walk.hpp.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <situ/autograd.hpp>
#include <situ/complex.hpp>
#include <situ/distance.hpp>
#include <situ/distributed.hpp>
#include <situ/einsum.hpp>
#include <situ/fft.hpp>
#include <situ/graph.hpp>
#include <situ/indexing.hpp>
#include <situ/interop/dlpack.hpp>
#include <situ/io.hpp>
#include <situ/ledger.hpp>
#include <situ/linalg.hpp>
#include <situ/nn.hpp>
#include <situ/optim.hpp>
#include <situ/order.hpp>
#include <situ/situ.hpp>
#include <situ/train.hpp>

namespace walk {

using namespace situ;

struct Twice {
  constexpr float operator()(float x) const noexcept { return 2 * x; }
};

template <Device D>
using Net = nn::Sequential<nn::Linear<float, D>, nn::ReLU, nn::LayerNorm<float, D>, nn::Linear<float, D>>;

/// What the calls are given. They may write what is not const: it must be as before when they throw.
template <Device D>
struct Operands {
  const Tensor<float, D> x = from_span<float>(std::vector<float>{3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8}, {3, 4}, D{}) * 0.25f;
  const Tensor<float, D> y = x + 1.f;
  const Tensor<double, D> square = matmul(cast<double>(x), cast<double>(transpose(x))) + eye<double>(3, D{});
  const Tensor<float, D> image = rand<float>({2, 2, 5, 6}, D{}, Generator(1));
  const Tensor<float, D> weight = rand<float>({3, 2, 3, 2}, D{}, Generator(2));
  const Tensor<std::int64_t, D> index = from_span<std::int64_t>(std::vector<std::int64_t>{2, 0, 1}, {3}, D{});
  Tensor<float, D> own = y.template copy_to<D>();
  Variable<float, D> v{y.template copy_to<D>()};

  /// The elements that may be written, on the host.
  [[nodiscard]] std::vector<float> written() const {
    std::vector<float> list;
    for (const Tensor<float, Cpu>& here : {Tensor<float, Cpu>(own.to(cpu)), Tensor<float, Cpu>(v.value().to(cpu))})
      list.insert(list.end(), here.begin(), here.end());
    return list;
  }
};

template <Device D>
struct Call {
  const char* name;
  std::function<void(Operands<D>&)> make;
  bool in_new_threads = true;
  bool keeps = false;  // makes something for the rest of the program at each call
};

/// Uses a value, so that it is computed.
template <class X>
void use(const X& x) {
  static_cast<void>(x.shape());
}
template <class... X>
void compute(const X&... x) {
  (use(eval(x)), ...);
}

/// The name of a file of this process, which is gone at the end.
class TemporaryFile {
 public:
  explicit TemporaryFile(const char* extension) : extension_(extension) {}
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() { std::remove(name()); }
  [[nodiscard]] const char* name() {
    std::snprintf(name_, sizeof name_, "situ_allocation_%p.%s", static_cast<void*>(this), extension_);
    return name_;
  }

 private:
  const char* extension_;
  char name_[96];  // no std::string, which would be an allocation of the test
};

/// Calls of what computes.
template <Device D>
void add_computations(const auto& add) {
  using O = Operands<D>;
  add("reductions", [](O& o) {
    compute(sum(o.x), sum(transpose(o.x), 1), prod(o.x, 0), mean(o.x * o.y, {0, 1}), var(o.x, 1), stddev(o.x),
             min(o.x, 0), max(o.x), argmin(o.x, 1), argmax(o.x));
  });
  add("more reductions", [](O& o) {
    compute(any(o.x > 1.f), all(o.x, 0), norm(o.x), norm(o.x, {1}, NormOrder{1}), logsumexp(o.x, 1), trace(o.square),
             allclose(o.x, o.y), array_equal(o.x, o.y), cumsum(o.x, 1), cumprod(o.x, 0));
    static_cast<void>(sum(o.x).to(cpu).item());
  });
  add("structure", [](O& o) {
    compute(reshape(transpose(o.x), {2, 6}), flatten(o.image, 1, 3), contiguous(transpose(o.x)), moveaxis(o.image, 1, -1),
             squeeze(unsqueeze(o.x, 1)), broadcast_to(o.x, {2, 3, 4}), flip(o.x, 1), diagonal(o.square));
    for (const auto& part : split(o.x, 2, 1)) use(part);
    for (const auto& part : split(o.x, {1, 3}, 1)) use(part);
  });
  add("masks and subscripts", [](O& o) {
    compute(nonzero(o.x > 1.f), nonzero(o.x > 1.f, {.size = 4, .fill = -1}), count_nonzero(o.x, 1), o.x(o.x > 1.f),
             masked_select(o.x, o.x > 1.f), masked_fill(o.x, o.x > 1.f, 0.f), einsum<"ij,kj,k->i">(o.x, o.y, o.y(all, 0)),
             einsum<"ii->i">(o.square));
    o.own.at(o.x > 1.f) = o.y * 2.f;
  });
  add("padding and running sums", [](O& o) {
    compute(pad(o.x, {{1, 1}, {0, 2}}, PadMode::reflect), pad(o.x, {{1, 1}, {0, 2}}, PadMode::wrap), prelu(o.x, o.y(0, all)),
             cumsum(o.x, 1, {.exclusive = true, .reverse = true}), flip(o.x, {0, 1}), narrow(o.x, 1, 1, 2));
  });
  add("joining", [](O& o) {
    compute(concat(o.x, o.y, 1), stack(o.x, o.y), roll(o.x, 1, 1), tile(o.x, {2, 2}), pad(o.x, {{1, 1}, {0, 2}}, 0.f),
             repeat(o.x, 2, 1), diff(o.x, 1), tril(o.x), triu(o.x, 1), diag(o.x(0, all)));
    compute(concat(std::vector<Tensor<float, D>>{o.x, o.y, o.x}, 0));
  });
  add("indices", [](O& o) {
    const Tensor places = from_span<std::int64_t>(std::vector<std::int64_t>{0, 2, 1, 0}, {1, 4}, D{});
    compute(take(o.x, o.index, 0), gather(o.x, 0, places), scatter(o.x, 0, places, o.y(range(0, 1), all)),
             scatter_add(o.x, 0, places, o.y(range(0, 1), all)), one_hot(o.index, 3), o.x(newaxis, all, 2));
    compute(o.x.element(1, 1));
  });
  add("writing at indices", [](O& o) {
    const Tensor<float, D> rows = o.x(range(0, 3), all);
    compute(index_add(o.y, 0, o.index, rows), index_copy(o.y, 0, o.index, rows), o.x(o.index, o.index),
            gather_nd(o.x, unsqueeze(o.index, 1)), masked_scatter(o.x, o.x > 1.f, flatten(o.y)),
            scatter_reduce<ScatterReduction::mean>(o.y, 0, broadcast_to(unsqueeze(o.index, 1), {3, 4}), rows));
    compute(index_put(o.y, {o.index, o.index}, full<float>({}, 2.f, D{}), Accumulate::yes));
    o.own = index_add(std::move(o.own), 0, o.index, rows);
  });
  add("values and their numbers", [](O& o) {
    compute(unique(o.x), unique_counts(o.x).counts, unique_inverse(o.x).inverse_indices, bincount(o.index),
            histogram(o.x, 3).hist, searchsorted(sort(flatten(o.x)), o.y), isin(o.x, o.y));
    compute(median(o.x), quantile(o.x, 0.3, 1), kthvalue(o.x, 2, 1).values, cummax(o.x, 0).values,
            multinomial(o.x, 2, Replacement::no, Generator(1)));
  });
  add("distances and grids", [](O& o) {
    const auto [rows, columns] = meshgrid(o.x(0, all), o.y(0, all));
    compute(cdist(o.x, o.y), rows, columns, tensordot(o.x, transpose(o.y), 1));
  });
  add("transforms", [](O& o) {
    const Tensor<std::complex<float>, D> z = fft(o.x);
    compute(ifft(z), irfft(rfft(o.x)), real(fft2(o.x)), fftshift(z), z * conj(z), abs(z), stft(flatten(o.x), 5));
  });
  add("sorting", [](O& o) {
    compute(sort(o.x, 1), argsort(o.x, 0, true));
    use(topk(o.x, 2, 1).values);
  });
  add("products", [](O& o) {
    compute(matmul(o.x, transpose(o.y)), dot(o.x(0, all), o.y(1, all)), outer(o.x(0, all), o.y(1, all)), matmul(o.x, o.y(0, all)),
             matmul(o.image, transpose(o.image)), linear(o.x, o.y, o.y(all, 0), Activation::relu), linear(o.x, o.y));
  });
  add("systems", [](O& o) {
    compute(solve(o.square, o.square(all, 0)), inv(o.square), det(o.square), slogdet(o.square).logabsdet, cholesky(o.square),
             cholesky_solve(cholesky(o.square), o.square), solve_triangular(o.square, o.square, Triangle::lower), matrix_power(o.square, -2));
    compute(lu(o.square).l, qr(o.square).q, lstsq(o.square, o.square));
  });
  add("spectra", [](O& o) {
    compute(eigh(o.square).eigenvectors, svd(o.square).vh, pinv(o.square), matrix_rank(o.square), cond(o.square),
             matrix_norm(o.square, MatrixNorm::nuc), expm(o.square), kron(o.square, o.square), cross(o.square, o.square, 1),
             lstsq_rank_revealing(o.square, o.square).x);
  });
  add("a matrix that has no result", [](O& o) {
    try {
      static_cast<void>(inv(o.square * 0.0).to(cpu).size());
    } catch (const LinAlgError&) {
    }
  });
  add("images", [](O& o) {
    compute(conv2d(o.image, o.weight, o.x(all, 0), {.padding = 1, .dilation = {1, 2}}), max_pool2d(o.image, 2),
             avg_pool2d(o.image, 2), conv2d(o.image, o.weight(range(0, 2), range(0, 1)), {.groups = 2}));
  });
  add("composed", [](O& o) {
    compute(softmax(o.x), log_softmax(o.x, 0), layer_norm(o.x, o.x(0, all), o.y(0, all)), cross_entropy(o.x, o.index),
             nll_loss(log_softmax(o.x), o.index), bce_with_logits_loss(o.x, o.y), huber_loss(o.x, o.y), mse_loss(o.x, o.y),
             gelu(o.x));
  });
  add("gradients", [](O& o) {
    const Variable w(o.x);
    Variable hidden = tanh(matmul(w, transpose(o.v)) * 0.5f);
    hidden += sum(w);
    const Variable loss = cross_entropy(hidden, o.index) + mean(take(w, o.index, 0) * softmax(w));
    const Gradients gradients = backward(loss);
    compute(gradients[w], gradients[o.v]);
  });
  add("gradients of images and matrices", [](O& o) {
    const Variable x(o.image), w(o.weight);
    const Variable a(o.square);
    const Gradients gradients = backward(sum(max_pool2d(conv2d(x, w, {.padding = 1}), 2)));
    compute(gradients[x], gradients[w], backward(det(a) + sum(cholesky(a)))[a]);
  });
  add("a parameter changed", [](O& o) { o.v.update([&](Tensor<float, D>& value) { value -= 0.5f * o.x; }); });
  add("layers", [](O& o) {
    Generator generator(4);
    Net<D> net{nn::Linear<float, D>(4, 5, D{}, generator), nn::ReLU(), nn::LayerNorm<float, D>(5, D{}),
               nn::Linear<float, D>(5, 3, D{}, generator)};
    nn::Sequential images{nn::Conv2d(2, 3, 3, {.padding = 1}, D{}, generator), nn::BatchNorm(3, D{}), nn::MaxPool2d(2),
                          nn::Flatten(), nn::Dropout(0.25, Generator(5))};
    const Gradients gradients = backward(cross_entropy(net(o.x), o.index) + mean(images(o.image)));
    nn::for_each_parameter(net, [&](const std::string&, auto& parameter) { use(gradients[parameter]); });
    use(net.to(cpu)(o.x.to(cpu)));
  });
  add("a step of SGD", [](O& o) {
    optim::SGD optimizer(o.v, {.learning_rate = 0.1});
    optimizer.step(o.v, backward(sum(o.v * o.x)));
  });
  add("steps of Adam", [](O& o) {
    Variable<float, D> w(o.y.template copy_to<D>());
    optim::Adam optimizer(w, {.learning_rate = 0.1});
    optimizer.step(w, backward(sum(w * o.x)));
    const optim::Adam copied = optimizer;  // shares the state, so that the next step takes memory for all of it
    const Gradients gradients = backward(sum(w * o.x));
    const Tensor<float, D> kept = w.value();
    try {
      optimizer.step(w, gradients);
    } catch (...) {
      if (optimizer.step_count() != 1) throw std::logic_error("a step that is none was counted");
      if (w.value().element_pointer() != kept.element_pointer()) throw std::logic_error("a step that was made is not counted");
      throw;
    }
  });
}

template <Device D>
std::vector<Call<D>> calls() {
  using O = Operands<D>;
  constexpr bool on_host = HostDevice<D>;
  std::vector<Call<D>> list;
  const auto add = [&](const char* name, std::function<void(O&)> make) { list.push_back({name, std::move(make)}); };

  add("creation", [](O& o) {
    compute(zeros<float>({2, 3}, D{}), full({2}, 1.5f, D{}), arange<float>(5, D{}), linspace<float>(0, 1, 5, D{}),
             eye<float>(3, D{}), tensor({{1.f, 2.f}, {3.f, 4.f}}, D{}), zeros_like(o.x), empty<float>({2}, D{}));
    compute(from_span<float>(std::vector<float>{1, 2}, {2, -1}, D{}));
  });
  add("random numbers", [](O& o) {
    Generator generator(3);
    compute(rand<float>({3, 2}, D{}, generator), randn<double>({5}, D{}, generator),
             randint(0, 9, {4}, D{}, generator), bernoulli(0.5, {3}, D{}, generator), permutation(7, D{}, generator),
             dropout(o.x, 0.5, generator));
  });
  add("expressions", [](O& o) {
    compute(tanh(o.x) * 0.5f + o.y, where(o.x < o.y, o.x, 0.f), cast<double>(o.x), clamp(transpose(o.x), 0.f, 1.f),
             map(Twice{}, o.x), isclose(o.x, o.y));
  });
  add("in place", [](O& o) { o.own += exp(o.y); });
  add("in place, of another shape", [](O& o) { o.own = sum(o.own * o.own, 1, KeepDims::yes) - unsqueeze(o.own(all, 0), 1); });
  add("in place, of a transposed operand", [](O& o) { o.own *= transpose(contiguous(transpose(o.own))); });
  add("in place, of shared storage", [](O& o) {
    const Tensor<float, D> kept = o.own;
    o.own -= o.x;
  });
  add("parts", [](O& o) {
    const Tensor<float, D> kept = o.own;
    o.own.at(all, range(0, 2)) = o.x(all, range(2, 4)) + 1.f;
  });
  add("parts of their own", [](O& o) { o.own.at(1, all) -= o.own.at(0, all) * 2.f; });
  add("copy", [](O& o) { copy(o.x(all, range(0, 2)), o.own.at(all, range(2, 4))); });
  if constexpr (on_host) {
    add("an element", [](O& o) {
      const Tensor<float, D> kept = o.own;
      o.own.at(1, 2) -= 3;
    });
    add("a lease", [](O& o) {
      const Tensor<float, D> kept = o.own;
      auto lease = o.own.write();
      lease.data()[0] = 2;
    });
  }
  // Pinned memory's operations are those of Cpu: compiled and walked once.
  if constexpr (!std::same_as<D, Pinned>) add_computations<D>(add);
  add("printing", [](O& o) {
    std::ostringstream stream;
    stream << Tensor<float, Cpu>(o.x.to(cpu)) << o.x.shape();
    static_cast<void>(to_string(o.image.to(cpu) + 1.f));
  });
  add("to other devices", [](O& o) {
    compute(o.x.to(cpu), transpose(o.x).to(pinned), o.x.to(gpu<0>), o.x.to(gpu<1>), o.x.copy_to(cpu));
    compute(o.x.to(pinned).to(gpu<0>).to(D{}));
  });
  add("to other devices, beside other work", [](O& o) {
    auto up = o.x.to(pinned).template to_async<Cuda<0>>();
    const Tensor there = std::move(up).wait();
    auto down = there.template to_async<Pinned>();
    use(std::move(down).wait());
  });
  add("for other libraries", [](O& o) {
    const DlpackOwner<> shared = to_dlpack(o.x);
    use(from_dlpack<float, D>(to_dlpack<dlpack::ManagedTensor>(eval(o.x + 1.f))));
    use(from_dlpack<float, D>(to_dlpack(o.own)));
    use(from_memory<D>(o.x.element_pointer(), {3, 4}, [kept = o.x] {}));
    if constexpr (std::same_as<D, Cpu>) use(from_range(std::vector<float>{1, 2, 3}));
  });
  add("a log on the device", [](O& o) {
    DeviceLog<float, D> log;
    log.append(sum(o.x));
    log.append(2.f);
    compute(log.values());
    compute(log.flush());
  });
  add("a curve", [](O& o) {
    TemporaryFile file("svg");
    TrainingCurve curve;
    curve.add("loss", flatten(o.x).to(cpu));
    curve.save(file.name());
  });
  add("the ledger", [](O& o) {
    const MovementLedger ledger;
    const NamedScope scope("walk");
    use(o.x.to(gpu<0>).to(cpu));
    static_cast<void>(ledger.report());
    const MovementBudget budget({.bytes = 1 << 20});
    use(o.x.to(gpu<0>));
  });
  add("new places in the ledger", [](O& o) {
    static int number = 0;
    char name[40];
    std::snprintf(name, sizeof name, "a scope with a long name, %d", number++);
    const MovementLedger ledger;
    const NamedScope scope(name);
    use(o.x.to(gpu<0>).to(cpu));
    static_cast<void>(ledger.report());
  });
  list.back().keeps = true;
  add("a trace", [](O& o) {
    TemporaryFile file("json");
    const MovementLedger ledger;
    use(o.x.to(gpu<0>).to(cpu));
    ledger.save(file.name());
  });
  list.back().in_new_threads = false;  // all of which a trace names
  add("a .npy file", [](O& o) {
    TemporaryFile file("npy");
    save_npy(file.name(), o.x);
    use(load_npy<float>(file.name(), D{}));
  });
  add("an .npz file", [](O& o) {
    TemporaryFile file("npz");
    save_npz(file.name(), NamedTensors<D>{{"x", o.x}, {"i", o.index}});
    use(load_npz(file.name(), D{}).at("x").template get<float>());
  });
  add("a checkpoint", [](O& o) {
    TemporaryFile file("safetensors");
    std::int64_t number = 7;
    Generator generator(3);
    save(file.name(), "x", o.y, "v", o.v, "number", number, "generator", generator);
    load(file.name(), "x", o.own, "v", o.v, "number", number, "generator", generator);
    use(load(file.name(), D{}).at("x").template get<float>());
  });
  add("refusals", [](O& o) {
    const auto refused = [](auto&& call) {
      try {
        call();
      } catch (const ShapeError&) {
      } catch (const IndexError&) {
      } catch (const ValueError&) {
      } catch (const InteropError&) {
      } catch (const FileError&) {
      }
    };
    refused([&] { static_cast<void>(matmul(o.x, o.y)); });
    refused([&] { use(eval(o.x + o.image)); });
    refused([&] { static_cast<void>(o.x(5, all)); });
    refused([&] { o.own += o.image; });
    refused([&] { static_cast<void>(reshape(o.x, {5, -1})); });
    refused([&] { static_cast<void>(parse_device("gpu:9")); });
    refused([&] { static_cast<void>(from_dlpack<double, D>(to_dlpack(o.x))); });
    refused([&] { static_cast<void>(load_npy<float>("situ_there_is_no_such_file.npy")); });
    refused([&] { static_cast<void>(take(o.x, o.index + 7, 0).to(cpu)); });
  });
  add("devices and memory", [](O& o) {
    const MemoryScope<D> scope;
    static_cast<void>(device_properties(D{}).name.size());
    with_device(try_gpu<0>(), [&](auto device) { use(o.x.to(device)); });
    static_cast<void>(try_all_gpus<2>().size());
    static_cast<void>(device_name(D{}));
  });
  add("several devices", [](O& o) {
    const auto pieces = shard<0>(o.x, gpu<0>, gpu<1>);
    compute(gather(all_reduce(sum<0>(pieces)), cpu), gather(all_gather(pieces), D{}));
    const auto copies = replicate(o.x, gpu<0>, gpu<1>);
    compute(gather(pieces * 2.f + reshard<0>(shard<1>(o.x, gpu<0>, gpu<1>)), cpu), gather(tanh(copies), cpu));
  });
  if constexpr (std::same_as<D, Cuda<0>>) {
    add("a graph", [](O& o) {
      Graph graph = capture<D>([w = o.y](const Tensor<float, D>& a) { return tanh(a) * w + sum(a); }, o.x);
      compute(graph(o.y), graph(o.x + 1.f));
    });
    add("a stream", [](O& o) {
      const Stream<D> side;
      const StreamScope scope(side);
      compute(o.x * 2.f);
      synchronize(side);
    });
  }
  return list;
}

}  // namespace walk
