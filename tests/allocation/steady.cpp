// SPDX-License-Identifier: Apache-2.0
// What `operator new` gives to each operation on Cpu in its steady state, when a loop calls it again with the same
// shapes: nothing, except where the table says how often, and why. Tensors come from the pool and are not counted.
#include <doctest/doctest.h>

#include <complex>
#include <cstdint>
#include <string>
#include <vector>

#include <situ/autograd.hpp>
#include <situ/complex.hpp>
#include <situ/distance.hpp>
#include <situ/einsum.hpp>
#include <situ/fft.hpp>
#include <situ/indexing.hpp>
#include <situ/io.hpp>
#include <situ/linalg.hpp>
#include <situ/nn.hpp>
#include <situ/order.hpp>
#include <situ/situ.hpp>

#include "counted.hpp"

using namespace situ;

namespace {

struct Values {
  const Tensor<float> x = rand<float>({6, 8}, Generator(1)) + 0.1f, y = x + 1.f;
  const Tensor<float> row = rand<float>({8}, Generator(2)), image = rand<float>({2, 3, 9, 10}, Generator(3));
  const Tensor<float> signal = rand<float>({2, 3, 40}, Generator(4)), kernel = rand<float>({4, 3, 3, 3}, Generator(5));
  const Tensor<float> bias = rand<float>({4}, Generator(6)), taps = rand<float>({4, 3, 5}, Generator(7));
  const Tensor<float> grouped = rand<float>({3, 1, 3, 3}, Generator(8)),
                      volume = rand<float>({1, 2, 5, 6, 7}, Generator(9));
  const Tensor<float> cube = rand<float>({3, 2, 2, 2, 2}, Generator(10));
  const Tensor<double> square = matmul(cast<double>(x), cast<double>(transpose(x))) + eye<double>(6);
  const Tensor<std::int64_t> index = from_span<std::int64_t>(std::vector<std::int64_t>{2, 0, 1}, {3});
  const Tensor<std::int64_t> labels = from_span<std::int64_t>(std::vector<std::int64_t>{2, 0, 1, 5, 4, 7}, {6});
  const Tensor<std::int64_t> places =
      from_span<std::int64_t>(std::vector<std::int64_t>{0, 2, 1, 0, 1, 1, 2, 0}, {1, 8});
  const Tensor<std::complex<float>> z = fft(x);
  const Tensor<bool> mask = x > 0.5f;
  Tensor<float> own = x.copy_to<Cpu>();
  Generator generator{11};
};

template <class Result>
void keep(const Result&) {}

/// Checks how often a call, after a few others, is given memory; `reason` says why not never.
void check(const char* name, void (*call)(Values&), std::int64_t allocations = 0, const char* reason = "") {
  static Values values;
  INFO(std::string(name), ": ", std::string(reason));
  for (int i = 0; i < 3; ++i) call(values);
  const std::int64_t before = counted::made();
  call(values);
  const std::int64_t made = counted::made() - before;
  CHECK(made == allocations);
}

}  // namespace

TEST_CASE("steady: creation") {
  check("zeros<float>({2,3})", [](Values&) { keep(zeros<float>({2, 3})); });
  check("full({2},1.5f)", [](Values&) { keep(full({2}, 1.5f)); });
  check("arange<float>(5)", [](Values&) { keep(arange<float>(5)); });
  check("linspace<float>(0,1,5)", [](Values&) { keep(linspace<float>(0, 1, 5)); });
  check("eye<float>(3)", [](Values&) { keep(eye<float>(3)); });
  check("tensor({{1.f,2.f},{3.f,4.f}})", [](Values&) { keep(tensor({{1.f, 2.f}, {3.f, 4.f}})); });
  check("zeros_like(x)", [](Values& o) { keep(zeros_like(o.x)); });
  check("empty<float>({2})", [](Values&) { keep(empty<float>({2})); });
}

TEST_CASE("steady: random numbers") {
  check("rand<float>({3,2},g)", [](Values& o) { keep(rand<float>({3, 2}, o.generator)); });
  check("randn<float>({5},g)", [](Values& o) { keep(randn<float>({5}, o.generator)); });
  check("randint(0,9,{4},Cpu{},g)", [](Values& o) { keep(randint(0, 9, {4}, Cpu{}, o.generator)); });
  check("bernoulli(0.5,{3},Cpu{},g)", [](Values& o) { keep(bernoulli(0.5, {3}, Cpu{}, o.generator)); });
  check("permutation(7,Cpu{},g)", [](Values& o) { keep(permutation(7, Cpu{}, o.generator)); });
  check("dropout(x,0.5,g)", [](Values& o) { keep(dropout(o.x, 0.5, o.generator)); });
  check("multinomial(x,2,Replacement::no,g)",
        [](Values& o) { keep(multinomial(o.x, 2, Replacement::no, o.generator)); });
}

TEST_CASE("steady: expressions") {
  check("eval(tanh(x)*0.5f+y)", [](Values& o) { keep(eval(tanh(o.x) * 0.5f + o.y)); });
  check("eval(where(x<y,x,0.f))", [](Values& o) { keep(eval(where(o.x < o.y, o.x, 0.f))); });
  check("eval(cast<double>(x))", [](Values& o) { keep(eval(cast<double>(o.x))); });
  check("eval(clamp(transpose(x),0.f,1.f))", [](Values& o) { keep(eval(clamp(transpose(o.x), 0.f, 1.f))); });
  check("eval(isclose(x,y))", [](Values& o) { keep(eval(isclose(o.x, o.y))); });
}

TEST_CASE("steady: reductions") {
  check("sum(x)", [](Values& o) { keep(sum(o.x)); });
  check("sum(x,1)", [](Values& o) { keep(sum(o.x, 1)); });
  check("sum(transpose(x),1)", [](Values& o) { keep(sum(transpose(o.x), 1)); });
  check("sum(x,{0,1})", [](Values& o) { keep(sum(o.x, {0, 1})); });
  check("prod(x,0)", [](Values& o) { keep(prod(o.x, 0)); });
  check("mean(x*y,{0,1})", [](Values& o) { keep(mean(o.x * o.y, {0, 1})); });
  check("var(x,1)", [](Values& o) { keep(var(o.x, 1)); });
  check("stddev(x)", [](Values& o) { keep(stddev(o.x)); });
  check("min(x,0)", [](Values& o) { keep(min(o.x, 0)); });
  check("max(x)", [](Values& o) { keep(max(o.x)); });
  check("argmin(x,1)", [](Values& o) { keep(argmin(o.x, 1)); });
  check("argmax(x)", [](Values& o) { keep(argmax(o.x)); });
  check("any(mask)", [](Values& o) { keep(any(o.mask)); });
  check("all(mask,0)", [](Values& o) { keep(all(o.mask, 0)); });
  check("norm(x)", [](Values& o) { keep(norm(o.x)); });
  check("norm(x,{1},NormOrder{1})", [](Values& o) { keep(norm(o.x, {1}, NormOrder{1})); });
  check("logsumexp(x,1)", [](Values& o) { keep(logsumexp(o.x, 1)); });
  check("trace(square)", [](Values& o) { keep(trace(o.square)); });
  check("allclose(x,y)", [](Values& o) { keep(allclose(o.x, o.y)); });
  check("array_equal(x,y)", [](Values& o) { keep(array_equal(o.x, o.y)); });
  check("cumsum(x,1)", [](Values& o) { keep(cumsum(o.x, 1)); });
  check("cumsum(x,0)", [](Values& o) { keep(cumsum(o.x, 0)); });
  check("cumprod(x,0)", [](Values& o) { keep(cumprod(o.x, 0)); });
  check("sum(x).item()", [](Values& o) { keep(sum(o.x).item()); });
  check("count_nonzero(x,1)", [](Values& o) { keep(count_nonzero(o.x, 1)); });
}

TEST_CASE("steady: structure") {
  check("reshape(transpose(x),{4,12})", [](Values& o) { keep(reshape(transpose(o.x), {4, 12})); });
  check("reshape(x,{-1,12})", [](Values& o) { keep(reshape(o.x, {-1, 12})); });
  check("flatten(image,1,3)", [](Values& o) { keep(flatten(o.image, 1, 3)); });
  check("contiguous(transpose(x))", [](Values& o) { keep(contiguous(transpose(o.x))); });
  check("moveaxis(image,1,-1)", [](Values& o) { keep(moveaxis(o.image, 1, -1)); });
  check("permute(image,{0,2,3,1})", [](Values& o) { keep(permute(o.image, {0, 2, 3, 1})); });
  check("squeeze(unsqueeze(x,1))", [](Values& o) { keep(squeeze(unsqueeze(o.x, 1))); });
  check("broadcast_to(x,{2,6,8})", [](Values& o) { keep(broadcast_to(o.x, {2, 6, 8})); });
  check("eval(flip(x,1))", [](Values& o) { keep(eval(flip(o.x, 1))); });
  check("diagonal(square)", [](Values& o) { keep(diagonal(o.square)); });
  check("x(0,all)", [](Values& o) { keep(o.x(0, all)); });
  check("x(all,range(1,3))", [](Values& o) { keep(o.x(all, range(1, 3))); });
  check("narrow(x,1,1,2)", [](Values& o) { keep(narrow(o.x, 1, 1, 2)); });
  check("select(x,1,2)", [](Values& o) { keep(select(o.x, 1, 2)); });
  check(
      "split(x,2,1)", [](Values& o) { keep(split(o.x, 2, 1)); }, 2,
      "the sizes, and the vector of parts; split<2> needs neither");
  check("split(x,{1,5},0)", [](Values& o) { keep(split(o.x, {1, 5}, 0)); }, 1, "the vector of parts");
  check("swapaxes(x,0,1)", [](Values& o) { keep(swapaxes(o.x, 0, 1)); });
}

TEST_CASE("steady: masks") {
  check("nonzero(mask)", [](Values& o) { keep(nonzero(o.mask)); }, 2, "counts of each range");
  check(
      "nonzero(mask,{.size=4,.fill=-1})", [](Values& o) { keep(nonzero(o.mask, {.size = 4, .fill = -1})); }, 2,
      "counts of each range");
  check("x(mask)", [](Values& o) { keep(o.x(o.mask)); });
  check("masked_select(x,mask)", [](Values& o) { keep(masked_select(o.x, o.mask)); });
  check("eval(masked_fill(x,mask,0.f))", [](Values& o) { keep(eval(masked_fill(o.x, o.mask, 0.f))); });
}

TEST_CASE("steady: joining") {
  check("concat(x,y,1)", [](Values& o) { keep(concat(o.x, o.y, 1)); });
  check("stack(x,y)", [](Values& o) { keep(stack(o.x, o.y)); });
  check("roll(x,1,1)", [](Values& o) { keep(roll(o.x, 1, 1)); });
  check("tile(x,{2,2})", [](Values& o) { keep(tile(o.x, {2, 2})); });
  check("pad(x,{{1,1},{0,2}},0.f)", [](Values& o) { keep(pad(o.x, {{1, 1}, {0, 2}}, 0.f)); });
  check("pad(x,{{1,1},{0,2}},PadMode::reflect)", [](Values& o) { keep(pad(o.x, {{1, 1}, {0, 2}}, PadMode::reflect)); });
  check("repeat(x,2,1)", [](Values& o) { keep(repeat(o.x, 2, 1)); });
  check("diff(x,1)", [](Values& o) { keep(diff(o.x, 1)); });
  check("eval(tril(x))", [](Values& o) { keep(eval(tril(o.x))); });
  check("eval(triu(x,1))", [](Values& o) { keep(eval(triu(o.x, 1))); });
  check("diag(row)", [](Values& o) { keep(diag(o.row)); });
  check("prelu(x,row)", [](Values& o) { keep(prelu(o.x, o.row)); });
}

TEST_CASE("steady: indices") {
  check("take(x,index,0)", [](Values& o) { keep(take(o.x, o.index, 0)); });
  check("gather(x,0,places)", [](Values& o) { keep(gather(o.x, 0, o.places)); });
  check("scatter(x,0,places,y(range(0,1),all))",
        [](Values& o) { keep(scatter(o.x, 0, o.places, o.y(range(0, 1), all))); });
  check("scatter_add(x,0,places,y(range(0,1),all))",
        [](Values& o) { keep(scatter_add(o.x, 0, o.places, o.y(range(0, 1), all))); });
  check("one_hot(index,3)", [](Values& o) { keep(one_hot(o.index, 3)); });
  check("x(newaxis,all,2)", [](Values& o) { keep(o.x(newaxis, all, 2)); });
  check("index_add(y,0,index,x(range(0,3),all))",
        [](Values& o) { keep(index_add(o.y, 0, o.index, o.x(range(0, 3), all))); });
  check("index_copy(y,0,index,x(range(0,3),all))",
        [](Values& o) { keep(index_copy(o.y, 0, o.index, o.x(range(0, 3), all))); });
  check("x(index,index)", [](Values& o) { keep(o.x(o.index, o.index)); });
  check(
      "gather_nd(x,unsqueeze(index,1))", [](Values& o) { keep(gather_nd(o.x, unsqueeze(o.index, 1))); }, 1,
      "the list of indices");
  check("masked_scatter(x,mask,flatten(y))", [](Values& o) { keep(masked_scatter(o.x, o.mask, flatten(o.y))); });
  check("scatter_reduce<ScatterReduction::mean>(y,0,places,x(range(0,1),all))",
        [](Values& o) { keep(scatter_reduce<ScatterReduction::mean>(o.y, 0, o.places, o.x(range(0, 1), all))); });
  check(
      "index_put(y,{index,index},full<float>({},2.f),Accumulate::yes)",
      [](Values& o) { keep(index_put(o.y, {o.index, o.index}, full<float>({}, 2.f), Accumulate::yes)); }, 2,
      "the lists of indices");
}

TEST_CASE("steady: order") {
  check("unique(x)", [](Values& o) { keep(unique(o.x)); });
  check("unique_counts(x)", [](Values& o) { keep(unique_counts(o.x)); });
  check("unique_inverse(x)", [](Values& o) { keep(unique_inverse(o.x)); });
  check("bincount(index)", [](Values& o) { keep(bincount(o.index)); });
  check("histogram(x,3)", [](Values& o) { keep(histogram(o.x, 3)); });
  check("searchsorted(row,y)", [](Values& o) { keep(searchsorted(o.row, o.y)); });
  check("isin(x,y)", [](Values& o) { keep(isin(o.x, o.y)); });
  check("median(x)", [](Values& o) { keep(median(o.x)); }, 1, "the list of quantiles");
  check("quantile(x,0.3,1)", [](Values& o) { keep(quantile(o.x, 0.3, 1)); }, 1, "the list of quantiles");
  check("kthvalue(x,2,1)", [](Values& o) { keep(kthvalue(o.x, 2, 1)); });
  check("cummax(x,0)", [](Values& o) { keep(cummax(o.x, 0)); });
  check("sort(x,1)", [](Values& o) { keep(sort(o.x, 1)); });
  check("argsort(x,0,true)", [](Values& o) { keep(argsort(o.x, 0, true)); });
  check("topk(x,2,1)", [](Values& o) { keep(topk(o.x, 2, 1)); });
}

TEST_CASE("steady: products of lists") {
  check("cdist(x,y)", [](Values& o) { keep(cdist(o.x, o.y)); });
  check("meshgrid(row,row)", [](Values& o) { keep(meshgrid(o.row, o.row)); });
  check("tensordot(x,transpose(y),1)", [](Values& o) { keep(tensordot(o.x, transpose(o.y), 1)); }, 10, "lists of axes");
  check(
      "einsum<\"ij,kj->ik\">(x,y)", [](Values& o) { keep(einsum<"ij,kj->ik">(o.x, o.y)); }, 1,
      "the operands that are left");
  check(
      "einsum<\"ij,kj,k->i\">(x,y,y(all,0))", [](Values& o) { keep(einsum<"ij,kj,k->i">(o.x, o.y, o.y(all, 0))); }, 1,
      "the operands that are left");
  check(
      "einsum<\"ii->i\">(square)", [](Values& o) { keep(einsum<"ii->i">(o.square)); }, 1, "the operands that are left");
}

TEST_CASE("steady: transforms") {
  check("fft(x)", [](Values& o) { keep(fft(o.x)); });
  check("ifft(z)", [](Values& o) { keep(ifft(o.z)); });
  check("rfft(x)", [](Values& o) { keep(rfft(o.x)); });
  check("irfft(z)", [](Values& o) { keep(irfft(o.z)); });
  check("fft2(x)", [](Values& o) { keep(fft2(o.x)); }, 4, "lists of axes");
  check("fftshift(z)", [](Values& o) { keep(fftshift(o.z)); }, 2, "lists of axes");
  check("eval(z*conj(z))", [](Values& o) { keep(eval(o.z * conj(o.z))); });
  check("eval(abs(z))", [](Values& o) { keep(eval(abs(o.z))); });
  check("stft(flatten(x),5)", [](Values& o) { keep(stft(flatten(o.x), 5)); }, 1, "the window");
}

TEST_CASE("steady: products") {
  check("matmul(x,transpose(y))", [](Values& o) { keep(matmul(o.x, transpose(o.y))); });
  check("dot(row,row)", [](Values& o) { keep(dot(o.row, o.row)); });
  check("eval(outer(row,row))", [](Values& o) { keep(eval(outer(o.row, o.row))); });
  check("matmul(x,row)", [](Values& o) { keep(matmul(o.x, o.row)); });
  check("matmul(image,transpose(image))", [](Values& o) { keep(matmul(o.image, transpose(o.image))); });
  check("linear(x,y,y(all,0),Activation::relu)",
        [](Values& o) { keep(linear(o.x, o.y, o.y(all, 0), Activation::relu)); });
  check("linear(x,y)", [](Values& o) { keep(linear(o.x, o.y)); });
}

TEST_CASE("steady: linear algebra") {
  check("solve(square,square)", [](Values& o) { keep(solve(o.square, o.square)); });
  check("inv(square)", [](Values& o) { keep(inv(o.square)); });
  check("det(square)", [](Values& o) { keep(det(o.square)); });
  check("slogdet(square)", [](Values& o) { keep(slogdet(o.square)); });
  check("cholesky(square)", [](Values& o) { keep(cholesky(o.square)); });
  check("cholesky_solve(square,square)", [](Values& o) { keep(cholesky_solve(o.square, o.square)); });
  check("solve_triangular(square,square,Triangle::lower)",
        [](Values& o) { keep(solve_triangular(o.square, o.square, Triangle::lower)); });
  check("matrix_power(square,-2)", [](Values& o) { keep(matrix_power(o.square, -2)); });
  check("lu(square)", [](Values& o) { keep(lu(o.square)); });
  check("qr(square)", [](Values& o) { keep(qr(o.square)); });
  check("lstsq(square,square)", [](Values& o) { keep(lstsq(o.square, o.square)); });
  check("eigh(square)", [](Values& o) { keep(eigh(o.square)); });
  check("svd(square)", [](Values& o) { keep(svd(o.square)); });
  check("pinv(square)", [](Values& o) { keep(pinv(o.square)); });
  check("matrix_rank(square)", [](Values& o) { keep(matrix_rank(o.square)); });
  check("cond(square)", [](Values& o) { keep(cond(o.square)); });
  check("matrix_norm(square,MatrixNorm::nuc)", [](Values& o) { keep(matrix_norm(o.square, MatrixNorm::nuc)); });
  check("expm(square)", [](Values& o) { keep(expm(o.square)); });
  check("kron(square,square)", [](Values& o) { keep(kron(o.square, o.square)); });
}

TEST_CASE("steady: windows") {
  check("conv2d(image,kernel,bias,{.padding=1})",
        [](Values& o) { keep(conv2d(o.image, o.kernel, o.bias, {.padding = 1})); });
  check("conv2d(image,kernel)", [](Values& o) { keep(conv2d(o.image, o.kernel)); });
  check("conv2d(image,grouped,{.groups=3})", [](Values& o) { keep(conv2d(o.image, o.grouped, {.groups = 3})); });
  check("situ::conv1d(signal,taps,bias)", [](Values& o) { keep(situ::conv1d(o.signal, o.taps, o.bias)); });
  check("situ::conv3d(volume,cube)", [](Values& o) { keep(situ::conv3d(o.volume, o.cube)); });
  check("max_pool2d(image,2)", [](Values& o) { keep(max_pool2d(o.image, 2)); });
  check("avg_pool2d(image,2)", [](Values& o) { keep(avg_pool2d(o.image, 2)); });
  check("max_pool1d(signal,2)", [](Values& o) { keep(max_pool1d(o.signal, 2)); });
  check("avg_pool1d(signal,2)", [](Values& o) { keep(avg_pool1d(o.signal, 2)); });
  check("max_pool3d(volume,2)", [](Values& o) { keep(max_pool3d(o.volume, 2)); });
  check("avg_pool3d(volume,2)", [](Values& o) { keep(avg_pool3d(o.volume, 2)); });
}

TEST_CASE("steady: composed") {
  check("softmax(x)", [](Values& o) { keep(softmax(o.x)); });
  check("log_softmax(x,0)", [](Values& o) { keep(log_softmax(o.x, 0)); });
  check("layer_norm(x,row,row)", [](Values& o) { keep(layer_norm(o.x, o.row, o.row)); });
  check("cross_entropy(x,labels)", [](Values& o) { keep(cross_entropy(o.x, o.labels)); });
  check("nll_loss(log_softmax(x),labels)", [](Values& o) { keep(nll_loss(log_softmax(o.x), o.labels)); });
  check("bce_with_logits_loss(x,y)", [](Values& o) { keep(bce_with_logits_loss(o.x, o.y)); });
  check("huber_loss(x,y)", [](Values& o) { keep(huber_loss(o.x, o.y)); });
  check("mse_loss(x,y)", [](Values& o) { keep(mse_loss(o.x, o.y)); });
  check("eval(gelu(x))", [](Values& o) { keep(eval(gelu(o.x))); });
}

TEST_CASE("steady: what split and diff give in arrays") {
  check("split<2>(x, 1)", [](Values& o) { keep(split<2>(o.x, 1)); });
  check("auto [a, b, c] = split<3>(x)", [](Values& o) {
    const auto [a, b, c] = split<3>(o.x);
    keep(a.shape()[0] + b.shape()[0] + c.shape()[0]);
  });
}

TEST_CASE("steady: in place") {
  check("own += exp(y)", [](Values& o) { o.own += exp(o.y); });
  check("own.at(1, all) -= own.at(0, all) * 2", [](Values& o) { o.own.at(1, all) -= o.own.at(0, all) * 2.f; });
  check("own.at(mask) = y * 2", [](Values& o) { o.own.at(o.mask) = o.y * 2.f; });
  check("own.at(1, 2) = 3", [](Values& o) { o.own.at(1, 2) = 3; });
  check("copy", [](Values& o) { copy(o.x(all, range(0, 2)), o.own.at(all, range(2, 4))); });
}

TEST_CASE("steady: layers") {
  // A result that records gradients has a node, and a list of its operands.
  check(
      "Linear",
      [](Values& o) {
        static const nn::Linear<float> layer(8, 4, Cpu{}, o.generator);
        keep(layer(o.x));
      },
      2, "the record for gradients");
  check(
      "Conv2d",
      [](Values& o) {
        static const nn::Conv2d<float> layer(3, 4, 3, {.padding = 1}, Cpu{}, o.generator);
        keep(layer(o.image));
      },
      2, "the record for gradients");
  check(
      "LayerNorm",
      [](Values& o) {
        static const nn::LayerNorm<float> layer(8, Cpu{});
        keep(layer(o.x));
      },
      2, "the record for gradients");
}

TEST_CASE("an index of many tensors is read in few allocations") {
  std::string text = "{\"weight_map\": {";
  constexpr int names = 2000;
  for (int i = 0; i < names; ++i) {
    text += (i == 0 ? "" : ",") + ("\"model.layers." + std::to_string(i)) +
            ".mlp.down_proj.weight\": \"model-00001-of-00163.safetensors\"";
  }
  text += "}}";
  const std::int64_t before = counted::made();
  const auto index = internal::io::parse_safetensors_index(text, "an index");
  CHECK(index.files.size() == names);
  CHECK(counted::made() - before < 9 * names);  // a value of JSON for each takes 13
}
