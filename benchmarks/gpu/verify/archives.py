# SPDX-License-Identifier: Apache-2.0
"""The archive that `scripts/gpu pack` makes: linked programs, and what they were made of. It serves for the very tree
that it was packed of, which a digest of the sources tells, for git may not be where it is used."""

import hashlib
import json
import lzma
import shutil
import subprocess
import sys
import tarfile
import time

from limited import run_limited
from sources import ROOT

SOURCES = ("include", "emulation", "train", "src", "tests", "benchmarks")
# What is compiled, not what runs it: a script may be mended between two runs, and what the first found still holds.
COMPILED = (".hpp", ".cpp", ".cu", ".cuh", ".h", ".c")
LEVEL = 6  # of xz: what is above saves a hundredth and takes twice the time


def commit():
    """Of the tree, which git may not know of where the archive is used."""
    done = run_limited(["git", "describe", "--always", "--dirty"], 20, folder=ROOT)
    return done.output.strip() if done.returncode == 0 else "no checkout"


def digests():
    """{file: digest} of the sources that a program may be made of."""
    paths = [path for top in SOURCES for path in sorted((ROOT / top).rglob("*"))]
    names = {path.relative_to(ROOT).as_posix(): path for path in paths if path.suffix in COMPILED and path.is_file()}
    left_out = ignored()
    return {
        name: hashlib.sha256(path.read_bytes()).hexdigest()[:16]
        for name, path in names.items()
        if name not in left_out
    }


def ignored():
    """Files that git ignores, where this is a checkout: they are not carried to a GPU."""
    if not (ROOT / ".git").exists():
        return set()
    ask = ["git", "-c", "core.quotePath=false", "ls-files", "--others", "--ignored", "--exclude-standard", "--", *SOURCES]
    done = run_limited(ask, 20, folder=ROOT)
    return set(done.output.splitlines()) if done.returncode == 0 else set()


def digest_of(files):
    return hashlib.sha256(json.dumps(files, sort_keys=True).encode()).hexdigest()[:16]


def anonymous(member):
    """Without its owner here."""
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    return member


def write(archive, files):
    """[(path, name in the archive)], in their order; by xz with all processors, where it is, which takes half as long."""
    new = archive.with_suffix(".new")
    if shutil.which("xz"):
        with open(new, "wb") as out, subprocess.Popen(["xz", f"-{LEVEL}", "-T0"], stdin=subprocess.PIPE, stdout=out) as xz:
            with tarfile.open(fileobj=xz.stdin, mode="w|") as tar:
                for path, name in files:
                    tar.add(path.resolve(), name, filter=anonymous)
            xz.stdin.close()
        if xz.returncode != 0:
            raise SystemExit(f"xz ended with {xz.returncode}")
    else:
        with tarfile.open(new, "w:xz", preset=LEVEL) as tar:
            for path, name in files:
                tar.add(path.resolve(), name, filter=anonymous)
    new.replace(archive)


class Refused(Exception):
    """The archive is of another tree, or cannot be read."""


def opened(path, folder, tree, rehearse):
    """The archive, unpacked; None where none is, which is said, for then all has to be compiled."""
    if not path.is_file():
        print(f"There is no archive {path}: what is needed is to be compiled here.", flush=True)
        return None
    archive = Archive(path.resolve(), folder)
    archive.check(tree, rehearse)
    archive.unpack()
    return archive


class Archive:
    """What was packed, unpacked into `folder`: the manifest, which is first, at once, and the programs by `unpack`."""

    def __init__(self, path, folder):
        self.path, self.folder = path, folder
        self.stamp = folder / "unpacked"
        with open(path, "rb") as file:
            self.digest = hashlib.file_digest(file, "sha256").hexdigest() if sys.version_info >= (3, 11) else ""
        self.digest = self.digest or hashlib.sha256(path.read_bytes()).hexdigest()
        self.known = self.stamp.is_file() and self.stamp.read_text() == self.digest
        if not self.known:
            shutil.rmtree(folder, ignore_errors=True)
            self.extract(lambda member: member.name == "manifest.json")
        if not (folder / "manifest.json").is_file():
            raise Refused(f"{path} has no manifest")
        self.manifest = json.loads((folder / "manifest.json").read_text())

    def check(self, tree, rehearse=False):
        """Refuses another tree than `tree`, the digests of what lies here, and emulated programs where a GPU is."""
        if self.manifest.get("rehearsal", False) and not rehearse:
            raise Refused(f"{self.path} is of a rehearsal, its programs are emulated: `scripts/gpu pack` makes one for a GPU")
        packed = self.manifest["files"]
        if packed == tree:
            return
        other = sorted(name for name in {*packed, *tree} if packed.get(name) != tree.get(name))
        more = f" and {len(other) - 3} more" if len(other) > 3 else ""
        raise Refused(
            f"{self.path.name} was packed of commit {self.manifest['commit']}, and here {', '.join(other[:3])}{more} "
            f"{'is' if len(other) == 1 else 'are'} not as there: pack again, or check that commit out"
        )

    def describe(self):
        return f"{self.path.name}: {self.manifest['commit']}, {self.manifest['made_by']}, {len(self.manifest['programs'])} programs"

    def program(self, name):
        """Where it lies, or None."""
        path = self.folder / "programs" / name
        return path if path.is_file() else None

    def unpack(self):
        if self.known:
            return
        start = time.monotonic()
        self.extract(lambda member: True)
        self.stamp.write_text(self.digest)
        self.known = True
        print(f"{self.path.name} unpacked in {time.monotonic() - start:.1f} s", flush=True)

    def extract(self, wanted):
        """The members up to the first that is not wanted."""
        self.folder.mkdir(parents=True, exist_ok=True)
        only_data = {"filter": "tar"} if hasattr(tarfile, "tar_filter") else {}
        try:
            with tarfile.open(self.path, "r|xz") as tar:
                for member in tar:
                    if not wanted(member):
                        break
                    tar.extract(member, self.folder, **only_data)
        except (tarfile.TarError, lzma.LZMAError, EOFError, OSError) as error:
            raise Refused(f"{self.path} cannot be read: {error}") from error
