# SPDX-License-Identifier: Apache-2.0
"""The recipe of Conan 2: `conan create .`. Headers alone: the CUDA backend is compiled by the nvcc of a machine, which Conan does
not bring."""
import pathlib
import re

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout


class Situ(ConanFile):
    name = "situ"
    description = "Device-typed tensors for C++20"
    license = "Apache-2.0"
    topics = "tensor", "cuda", "linear-algebra", "autograd", "header-only"
    package_type = "header-library"
    settings = "os", "arch", "compiler", "build_type"
    exports = "include/situ/version.hpp"  # which set_version reads beside the recipe
    exports_sources = "CMakeLists.txt", "LICENSE", "cmake/*", "emulation/*", "include/*", "src/*", "train/*"
    no_copy_source = True

    def set_version(self):
        text = (pathlib.Path(self.recipe_folder) / "include/situ/version.hpp").read_text()
        number = int(re.search(r"^#define SITU_VERSION (\d+)$", text, re.M).group(1))
        self.version = f"{number // 10000}.{number // 100 % 100}.{number % 100}"

    def requirements(self):
        self.requires("eigen/[>=3.4.0 <6]", transitive_headers=True)
        self.requires("nlohmann_json/[>=3.9.1 <4]", transitive_headers=True)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        CMakeDeps(self).generate()
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["SITU_CUDA"] = "OFF"
        toolchain.cache_variables["SITU_BUILD_TESTS"] = False
        toolchain.cache_variables["SITU_BUILD_EXAMPLES"] = False
        toolchain.generate()

    def build(self):
        CMake(self).configure()

    def package(self):
        CMake(self).install()

    def package_id(self):
        self.info.clear()

    def package_info(self):
        # Its own CMake package, which finds Eigen by the files that Conan writes for the consumer.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = ["share/cmake/situ"]
        self.cpp_info.libdirs = []
        self.cpp_info.bindirs = []
