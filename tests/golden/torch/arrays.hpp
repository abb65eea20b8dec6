// SPDX-License-Identifier: Apache-2.0
// The arrays that PyTorch made: see nn.py for the format.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>

#include <situ/core/shape.hpp>
#include <situ/ops/creation.hpp>
#include <situ/tensor/tensor.hpp>

#include "../folder.hpp"

namespace golden_torch {

/// All arrays of a file in this folder, by name. Throws for a file that cannot be read.
inline std::map<std::string, situ::Tensor<double>> arrays(const std::string& file_name) {
  const std::filesystem::path path = golden::folder() / "torch" / file_name;
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path.string());
  std::map<std::string, situ::Tensor<double>> found;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.front() == '#') continue;
    std::istringstream fields(line);
    std::string name;
    int rank = 0;
    fields >> name >> rank;
    situ::Shape shape;
    for (int axis = 0; axis < rank; ++axis) {
      std::int64_t extent = 0;
      fields >> extent;
      shape.push_back(extent);
    }
    situ::Tensor<double> array = situ::zeros<double>(shape);
    {
      auto values = array.write();
      for (std::int64_t i = 0; i < values.size(); ++i) fields >> values.data()[i];
    }
    std::string rest;
    if (!fields || fields >> rest)
      throw std::runtime_error(path.string() + ": " + name + " has not " + shape.to_string());
    found.emplace(name, std::move(array));
  }
  return found;
}

}  // namespace golden_torch
