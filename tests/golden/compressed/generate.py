#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes arrays.npz beside it, by numpy.savez_compressed; tests/zlib/npz_compressed.cpp says what is in it.

    python3 tests/golden/compressed/generate.py
"""
from pathlib import Path

import numpy as np

np.savez_compressed(
    Path(__file__).with_name("arrays.npz"), rows=np.arange(12, dtype=np.float32).reshape(3, 4),
    columns=np.asfortranarray(np.arange(6, dtype=np.int64).reshape(2, 3)), mask=np.array([True, False]), number=np.array(2.5, ">f8"),
    none=np.zeros((0, 3), np.float32), z=np.array([1 + 2j], np.complex64), zeros=np.zeros(100000), steps=np.arange(20000) // 7)
