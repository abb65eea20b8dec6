// SPDX-License-Identifier: Apache-2.0
// A program may have types and variables of these names beside `using namespace situ`, in the global namespace, where a
// name of situ would make them ambiguous. It uses each without qualification. What situ itself has under a common name,
// such as `Shape` or `Group`, is in docs/types.md or docs/operations.md, and tests/names/check.py finds any other.
#include <concepts>
#include <cstdint>

#include <situ/autograd.hpp>
#include <situ/complex.hpp>
#include <situ/data.hpp>
#include <situ/distance.hpp>
#include <situ/distributed.hpp>
#include <situ/einsum.hpp>
#include <situ/fft.hpp>
#include <situ/float8.hpp>
#include <situ/graph.hpp>
#include <situ/indexing.hpp>
#include <situ/io.hpp>
#include <situ/ledger.hpp>
#include <situ/linalg.hpp>
#include <situ/nn.hpp>
#include <situ/optim.hpp>
#include <situ/order.hpp>
#include <situ/parallel.hpp>
#include <situ/situ.hpp>
#include <situ/world.hpp>

using namespace situ;

template <class... T>
struct Pack {};
template <class Signature>
class FunctionRef {};
template <class T>
struct Storage {
  T* data = nullptr;
};
enum Order { ascending, descending };
struct Axes {
  int x = 0, y = 1;
};
struct Range {
  int begin = 0, end = 0;
};
struct Node {
  Node* next = nullptr;
};
struct Pass {};
struct Edge {
  Node *from = nullptr, *to = nullptr;
};
struct SortKey {
  Order order = ascending;
};
struct Subscripts {};
struct RandomStream {};
struct Carried {};
constexpr int max_rank = 3;
constexpr int vector_bytes = 4;
using mask_t = std::uint32_t;
using bits_t = std::uint32_t;

constexpr int normalize_axis(int axis) { return axis < 0 ? axis + max_rank : axis; }
constexpr int get(const Axes& axes) { return axes.y; }
constexpr int make_pack(int values) { return values + vector_bytes; }

template <Order Direction>
constexpr bool is_row_major(Range range) {
  return Direction == ascending && range.begin <= range.end;
}

struct Program {
  Pack<int, float> pack;
  FunctionRef<void(int)> function;
  Storage<float> storage;
  Axes axes;
  Range range;
  Edge edge;
  Pass pass;
  SortKey key;
  Subscripts subscripts;
  RandomStream stream;
  Carried carried;
  mask_t mask = 0;
  bits_t bits = 0;
};

static_assert(Program{}.key.order == ascending && Program{}.edge.to == nullptr && Program{}.mask == Program{}.bits);
static_assert(normalize_axis(-1) == 2 && get(Axes{}) == 1 && make_pack(1) == 5 && is_row_major<ascending>(Range{}));

// And the library's own, beside them.
Tensor<float, Cpu> both(const Tensor<float, Cpu>& x, Range rows, Axes axes) {
  const Tensor part = x(range(rows.begin, rows.end), range(0, IndexRange::none));
  return norm(sum(part, ReduceAxes{axes.x}, keepdims), {axes.y}, NormOrder{1});
}
static_assert(std::same_as<decltype(both(zeros<float>({2, 2}), Range{}, Axes{})), Tensor<float, Cpu>>);
