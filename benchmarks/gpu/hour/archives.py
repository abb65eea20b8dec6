# SPDX-License-Identifier: Apache-2.0
"""The archive that `scripts/gpu_hour pack` makes, written and unpacked."""

import hashlib
import lzma
import shutil
import sys
import tarfile
import time


def write(archive, files):
    """[(path, name in the archive)], in their order. The last tenth of size is not worth three times the time."""
    new = archive.with_suffix(".new")
    with tarfile.open(new, "w:xz", preset=2) as tar:
        for path, name in files:
            tar.add(path.resolve(), name, filter=anonymous)
    new.replace(archive)


def anonymous(member):
    """Without its owner here."""
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    return member


class Archive:
    """What was packed, for the build folder. The headers, which lie first, are unpacked at once; the objects when the
    first of them may be needed, and both only once."""

    def __init__(self, path, folder):
        self.path, self.folder, self.stamp = path, folder, folder / "unpacked"
        self.note = ""
        digest = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
        self.known = bool(digest) and self.stamp.is_file() and self.stamp.read_text() == digest
        self.digest = digest
        if digest and not self.known:
            shutil.rmtree(folder / "deps", ignore_errors=True)
            self.extract(lambda member: "/" not in member.name or member.name.startswith("deps/"))
        if self.digest:
            self.note = (folder / "packed.txt").read_text().strip()

    def describe(self):
        return f"{self.path.name}: {self.note}" if self.note else "Without an archive: all is compiled here."

    def unpack(self):
        if self.known or not self.digest:
            return
        start = time.monotonic()
        self.extract(lambda member: True)
        if self.digest:
            self.stamp.write_text(self.digest)
            self.known = True
            print(f"{self.path.name} unpacked in {time.monotonic() - start:.1f} s", flush=True)

    def extract(self, wanted):
        """The members up to the first that is not wanted. An archive that cannot be read is none."""
        self.folder.mkdir(parents=True, exist_ok=True)
        only_data = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
        try:
            with tarfile.open(self.path, "r|xz") as tar:
                for member in tar:
                    if not wanted(member):
                        break
                    tar.extract(member, self.folder, **only_data)
        except (tarfile.TarError, lzma.LZMAError, EOFError) as error:
            print(f"{self.path} cannot be read ({error}): all is compiled here", file=sys.stderr)
            self.digest = ""
