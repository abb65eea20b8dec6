// SPDX-License-Identifier: Apache-2.0
// Writes a CSV file with columns of three types, and reads it as a table and as one tensor.
// [program]
#include <situ/csv.hpp>
#include <situ/situ.hpp>

#include <cstdint>
#include <string>
#include <vector>

using namespace situ;

int main() {
  const std::vector<std::string> cities{"Bonn", "Oslo", "Rome"};
  Tensor people = tensor<std::int64_t>({331'000, 709'000, 2'750'000});
  save_csv("cities.csv", {{"city", cities}, {"people", people}, {"rain", tensor({810., 763., 800.})}});

  CsvTable table = load_csv("cities.csv");                         // pd.read_csv
  std::vector<std::string> names = table.column<std::string>("city");
  Tensor x = table.to_tensor<float>({"people", "rain"});           // of shape (3, 2)
  Tensor rain = load_csv<float>("cities.csv", {.columns = {"rain"}});  // np.loadtxt: one tensor, (3, 1)
  print(names[2], "has a mean of", mean(rain), "and", x);
  return all(table.column<std::int64_t>("people") == people).item() ? 0 : 1;
}
// [program-end]
