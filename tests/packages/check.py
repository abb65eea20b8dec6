#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that what packages say of the library is what it is: `check.py ROOT`.

The version has one source, include/situ/version.hpp, which CMake, pkg-config, CPack, Conan's recipe and scripts/amalgamate read;
vcpkg's manifest and documents cannot. What the library needs stands in CMakeLists.txt.
"""
import json
import pathlib
import re
import sys

# What vcpkg and Conan call the packages that CMake finds.
NAMES = {"Eigen3": ("eigen3", "eigen"), "nlohmann_json": ("nlohmann-json", "nlohmann_json")}


def numbers(version):
    return [int(number) for number in version.split(".")]


def check(root):
    number = int(re.search(r"^#define SITU_VERSION (\d+)$", (root / "include/situ/version.hpp").read_text(), re.M).group(1))
    version = f"{number // 10000}.{number // 100 % 100}.{number % 100}"
    manifest = json.loads((root / "packaging/vcpkg/situ/vcpkg.json").read_text())
    if manifest["version"] != version:
        yield f"packaging/vcpkg/situ/vcpkg.json says {manifest['version']}, situ is {version}"

    documents = [root / "README.md", root / "CHANGELOG.md", *root.glob("docs/**/*.md"), *root.glob("examples/**/CMakeLists.txt"),
                 root / "tests/consumer/CMakeLists.txt"]
    for path in documents:
        for asked in re.findall(r"find_package\(situ ([\d.]+)", path.read_text()):
            if numbers(asked)[:2] != numbers(version)[:2]:
                yield f"{path.relative_to(root)} asks for situ {asked}, which {version} does not answer"

    cmake, recipe = (root / "CMakeLists.txt").read_text(), (root / "conanfile.py").read_text()
    oldest = {"Eigen3": re.search(r"Eigen3_VERSION VERSION_LESS ([\d.]+)", cmake).group(1),
              "nlohmann_json": re.search(r"find_package\(nlohmann_json ([\d.]+)", cmake).group(1)}
    in_vcpkg = {entry["name"]: entry.get("version>=", "0") for entry in manifest["dependencies"]}
    in_conan = dict(re.findall(r'self\.requires\("(\w+)/\[>=([\d.]+)', recipe))
    for name, least in oldest.items():
        for where, found in (("vcpkg.json", in_vcpkg.get(NAMES[name][0])), ("conanfile.py", in_conan.get(NAMES[name][1]))):
            if found is None or numbers(found) < numbers(least):
                yield f"{where} asks for {name} {found}, CMakeLists.txt for {least}"


def main():
    problems = list(check(pathlib.Path(sys.argv[1]).resolve()))
    print("\n".join(problems) or "packages: what they say is so")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
