// SPDX-License-Identifier: Apache-2.0
// examples/cookbook/k_means.cpp with Eigen, without its check by plain loops: what its compile time is compared with.
#include <iostream>
#include <random>

#include <Eigen/Core>

using Points = Eigen::Array<float, Eigen::Dynamic, 2>;

/// The squared distance of every point from every centre.
Eigen::ArrayXXf distances(const Points& points, const Points& centres) {
  Eigen::ArrayXXf result(points.rows(), centres.rows());
  for (Eigen::Index c = 0; c < centres.rows(); ++c)
    result.col(c) = (points.rowwise() - centres.row(c)).square().rowwise().sum();
  return result;
}

/// `k` points far from each other: the first one, then always the one farthest from those chosen.
Points first_centres(const Points& points, int k) {
  Points centres = points.row(0);
  while (centres.rows() < k) {
    Eigen::Index farthest = 0;
    distances(points, centres).rowwise().minCoeff().maxCoeff(&farthest);
    centres.conservativeResize(centres.rows() + 1, Eigen::NoChange);
    centres.bottomRows(1) = points.row(farthest);
  }
  return centres;
}

Points k_means(const Points& points, int k) {
  Points centres = first_centres(points, k);
  for (bool moving = true; moving;) {
    const Eigen::ArrayXXf away = distances(points, centres);
    Eigen::ArrayXXf members = Eigen::ArrayXXf::Zero(points.rows(), k);
    for (Eigen::Index i = 0; i < points.rows(); ++i) {
      Eigen::Index nearest = 0;
      away.row(i).minCoeff(&nearest);
      members(i, nearest) = 1;
    }
    Points means = (members.matrix().transpose() * points.matrix()).array();
    means.colwise() /= members.colwise().sum().transpose().eval();
    moving = (means != centres).any();
    centres = means;
  }
  return centres;
}

int main() {
  std::mt19937 generator(7);
  std::normal_distribution<float> normal;
  const Points truth = (Points(4, 2) << -4, -4, -4, 4, 4, -4, 4, 4).finished();
  Points points = Points::NullaryExpr(400, 2, [&] { return normal(generator); });
  for (Eigen::Index i = 0; i < points.rows(); ++i) points.row(i) += truth.row(i % 4);
  const Points centres = k_means(points, 4);
  std::cout << centres << "\n";
  return distances(truth, centres).rowwise().minCoeff().maxCoeff() < 0.1f ? 0 : 1;
}
