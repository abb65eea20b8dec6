# SPDX-License-Identifier: Apache-2.0
"""The operation against NumPy, and its gradient against PyTorch's where that is installed.

    python -m unittest discover -s tests
"""
import unittest

import numpy as np

import situ_example

try:
    import torch
except ImportError:
    torch = None


class AgainstNumPy(unittest.TestCase):
    def test_values(self):
        x = np.linspace(-9, 9, 1001, dtype=np.float32).reshape(7, 143)
        y = np.from_dlpack(situ_example.soft_clip(x, 2.5))
        np.testing.assert_allclose(y, 2.5 * np.tanh(x / np.float32(2.5)), rtol=1e-6, atol=1e-6)
        turned = np.asarray(situ_example.soft_clip(x.T[::-2], 2.5))
        np.testing.assert_array_equal(turned, y.T[::-2])

    def test_other_elements_are_a_type_error(self):
        with self.assertRaisesRegex(TypeError, "float32 on cpu, and the array is of float64"):
            situ_example.soft_clip(np.zeros(3), 1)


@unittest.skipIf(torch is None, "PyTorch is not installed")
class AgainstPyTorch(unittest.TestCase):
    def test_gradient(self):
        from situ_example.torch import soft_clip

        torch.manual_seed(1)
        x = torch.randn(5, 6, requires_grad=True)
        weights = torch.randn(5, 6)
        (soft_clip(x, 1.5) * weights).sum().backward()
        found, x.grad = x.grad, None
        (1.5 * torch.tanh(x / 1.5) * weights).sum().backward()
        torch.testing.assert_close(found, x.grad)

    def test_training_through_it(self):
        from situ_example.torch import soft_clip

        x = torch.full((4,), 3.0, requires_grad=True)
        optimizer = torch.optim.SGD([x], lr=0.5)
        for _ in range(200):
            optimizer.zero_grad()
            ((soft_clip(x, 2.0) - 1) ** 2).sum().backward()
            optimizer.step()
        torch.testing.assert_close(soft_clip(x, 2.0), torch.ones(4), atol=1e-3, rtol=0)


if __name__ == "__main__":
    unittest.main()
