# SPDX-License-Identifier: Apache-2.0
"""Arrays of NumPy, and of PyTorch where it is installed, into C++ and back. SITU_ROUNDS random arrays, 500 if not set;
tests/interop/python/run.py --asan --rounds=10000 is the long form."""
import gc
import os
import random
import unittest
import weakref

import numpy as np

import situ_exchange as native
import situ_second as second

try:
    import torch
except ImportError:
    torch = None
try:
    import jax
except ImportError:
    jax = None

TYPES = ["bool", "uint8", "int32", "int64", "float16", "float32", "float64"]


class Foreign:
    """An array of a library that has nothing but DLPack's protocol; `versions` is whether it knows any."""

    def __init__(self, array, versions=True):
        self.array, self.versions = array, versions

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __dlpack__(self, stream=None, **options):
        if options and not self.versions:
            raise TypeError("no such argument")
        if stream is not None:
            options["stream"] = stream
        return self.array.__dlpack__(**options)


def random_array(draw):
    shape = [draw.randrange(0 if draw.random() < 0.1 else 1, 6) for _ in range(draw.randrange(5))]
    kind = draw.choice(TYPES)
    array = np.array(np.random.default_rng(draw.randrange(2**32)).integers(0, 120, shape)).astype(kind)
    for _ in range(draw.randrange(4)):
        if array.ndim == 0:
            break
        step = draw.randrange(6)
        axis = draw.randrange(array.ndim)
        if step == 0:
            array = array.swapaxes(0, axis)
        elif step == 1:
            array = np.flip(array, axis)
        elif step == 2:
            array = array[:: draw.choice([2, 3, -2])]
        elif step == 3:
            array = array[1:] if array.shape[0] > 1 else array
        elif step == 4:
            array = np.broadcast_to(array, (2, *array.shape))
        else:
            array = np.asfortranarray(array)
    return array, kind


class Exchange(unittest.TestCase):
    def test_random_arrays(self):
        draw = random.Random(20261122)
        refusals = 0
        before = native.in_use()
        given_out = []
        for number in range(int(os.environ.get("SITU_ROUNDS", "500"))):
            array, kind = random_array(draw)
            given_out.append(weakref.ref(array))
            with self.subTest(number=number, kind=kind, shape=array.shape, strides=array.strides):
                wrong = draw.random() < 0.2
                if wrong:
                    other = draw.choice([name for name in TYPES if name != kind])
                    with self.assertRaisesRegex(TypeError, f"to be of {other} on cpu, and the array is of {kind};"):
                        getattr(native, f"same_{other}")(array)
                    refusals += 1
                    continue
                given = array if draw.random() < 0.5 else Foreign(array)
                if array.size and array.flags.aligned:
                    self.assertEqual(getattr(native, f"address_{kind}")(given), array.ctypes.data)
                tensor = getattr(native, draw.choice(["same_", "copied_"]) + kind)(given)
                self.assertEqual(tensor.shape, array.shape)
                for back in (np.from_dlpack(tensor), np.asarray(tensor)):
                    self.assertEqual(back.dtype, array.dtype)
                    np.testing.assert_array_equal(back, array)
        del array, tensor, back, given
        gc.collect()
        self.assertGreater(refusals, 0)
        self.assertEqual(native.in_use(), before)
        self.assertEqual(sum(array() is not None for array in given_out), 0)

    def test_arguments_are_values(self):
        x = np.ones(4, np.float32)
        y = np.from_dlpack(native.increased(x))
        np.testing.assert_array_equal(x, np.ones(4))
        np.testing.assert_array_equal(y, np.full(4, 2))
        y[0] = 7  # a result that nobody else has may be written
        z = native.same_float32(x)
        self.assertFalse(np.from_dlpack(z).flags.writeable)  # it came from NumPy
        x[0] = 9
        np.testing.assert_array_equal(np.from_dlpack(z), np.ones(4))  # with elements of its own
        x[0] = 1
        native.keep(x)
        del x
        gc.collect()
        self.assertEqual(native.sum_of_kept(), 4)
        native.keep(np.zeros(1, np.float32))

    def test_what_is_kept_of_an_argument_does_not_change_with_the_array(self):
        ways = {
            "see": native.see,
            "two arguments of one array": lambda x: native.see_two(x, x),
            "a view and the array": lambda x: native.see_two(x[1:3], x),
            "see_view": native.see_view,
            "see_list": lambda x: native.see_list([x, x, x[::-1]]),
            "see_pair": lambda x: native.see_pair((x, x[::2])),
            "see_optional": native.see_optional,
            "see_object": native.see_object,
            "see_objects": lambda x: native.see_objects([x, x]),
            "see_first": lambda x: native.see_first(x, 1),
            "an attribute": lambda x: native.see(with_attribute(x).tensor),
            "a setter": lambda x: native.see(with_setter(x).tensor),
            "a constructor": lambda x: native.see(native.Holder(x).tensor),
            "what a function returned": lambda x: native.see(native.same_float32(x)),
            "a reversed array": lambda x: native.see(x[::-1]),
            "every second": lambda x: native.see(x[::2]),
            "one element repeated": lambda x: native.see(np.broadcast_to(x[1:2], (4,))),
            "a library without versions": lambda x: native.see(Foreign(x, versions=False)),
        }

        def with_attribute(x):
            holder = native.Holder()
            holder.tensor = x
            return holder

        def with_setter(x):
            holder = native.Holder()
            holder.by_setter = x
            return holder

        before = native.in_use()
        for name, keep in ways.items():
            with self.subTest(name):
                x = np.arange(4, dtype=np.float32)
                keep(x)
                x[:] = -1
                for tensor in native.take_seen():
                    values = np.from_dlpack(tensor)
                    self.assertFalse((values == -1).any(), values)
                    self.assertTrue(set(values) <= {0, 1, 2, 3}, values)
                alive = weakref.ref(x)
                del x, tensor, values
                gc.collect()
                self.assertIsNone(alive())
        self.assertEqual(native.in_use(), before)
        x = np.arange(4, dtype=np.float32)
        with self.assertRaisesRegex(RuntimeError, "the function fails"):
            native.see_and_fail(x)
        x[:] = -1
        np.testing.assert_array_equal(np.from_dlpack(native.take_seen()[0]), [0, 1, 2, 3])

    def test_exceptions_are_those_of_numpy(self):
        for kind, wanted in [("shape", ValueError), ("value", ValueError), ("index", IndexError),
                             ("floating", FloatingPointError), ("memory", MemoryError), ("other", RuntimeError)]:
            with self.subTest(kind):
                with self.assertRaises(wanted) as raised:
                    native.fail_by(kind)
                self.assertIs(type(raised.exception), wanted)

    def test_one_array_for_every_step(self):
        observation = np.zeros(2, np.float32)
        for step in range(3):
            observation[:] = step
            native.see(observation)
        np.testing.assert_array_equal([np.asarray(x) for x in native.take_seen()], [[0, 0], [1, 1], [2, 2]])
        kept = np.ones(1000, np.float32)  # an array that nobody has but C++ is given back at once
        native.see(kept)
        alive = weakref.ref(kept)
        del kept
        gc.collect()
        self.assertIsNone(alive())
        native.take_seen()

    def test_results_have_elements_of_their_own(self):
        x = np.arange(4, dtype=np.float32)
        results = [native.same_float32(x), native.reversed(x), *native.pair_of(x), native.Holder(x).tensor]
        address = native.address_float32(results[0])
        x[:] = -1
        for result in results:
            self.assertEqual(sorted(np.from_dlpack(result)), [0, 1, 2, 3])
        self.assertEqual(native.address_float32(results[0]), address)  # it is no argument any more
        np.testing.assert_array_equal(np.from_dlpack(native.increased(results[0])), [1, 2, 3, 4])
        np.testing.assert_array_equal(np.from_dlpack(results[0]), [0, 1, 2, 3])
        # An array that was made in the call, of what is the caller's, stays valid: that memory is kept for it.
        x = np.arange(4, dtype=np.float32)
        made = native.in_numpy(x)
        del x
        gc.collect()
        np.testing.assert_array_equal(made, [0, 1, 2, 3])

    def test_what_is_kept_of_an_array_on_a_gpu(self):
        before = native.in_use()
        x = native.to_gpu(np.arange(4, dtype=np.float32))
        native.see_on_gpu(Foreign(x))
        native.see_on_gpu(Foreign(x, versions=False))
        native.write_on_gpu(x, -1.0)
        for tensor in native.take_seen_on_gpu():
            np.testing.assert_array_equal(np.from_dlpack(tensor), [0, 1, 2, 3])
        self.assertEqual(np.from_dlpack(native.to_cpu(x))[0], -1)
        del x, tensor
        gc.collect()
        self.assertEqual(native.in_use(), before)

    def test_what_python_may_write_comes_in_as_a_copy(self):
        x = native.copied_float32(np.ones(4, np.float32))
        view = np.from_dlpack(x)
        view[0] = 2
        self.assertNotEqual(native.address_float32(x), view.ctypes.data)
        native.keep(x)
        view[0] = 7
        self.assertEqual(native.sum_of_kept(), 5)
        self.assertTrue(np.from_dlpack(x).flags.writeable)  # of which C++ has nothing now
        address = view.ctypes.data
        del view
        gc.collect()
        self.assertEqual(native.address_float32(x), address)
        native.keep(x)
        self.assertFalse(np.from_dlpack(x).flags.writeable)
        self.assertEqual(native.address_float32(x), address)  # which nobody may write
        native.keep(np.zeros(1, np.float32))
        on_gpu = native.to_gpu(x)
        capsule = on_gpu.__dlpack__(max_version=(1, 0))
        np.testing.assert_array_equal(np.from_dlpack(native.to_cpu(native.doubled_on_gpu(on_gpu))), [14, 2, 2, 2])
        del capsule

    def test_modules_with_pools_of_their_own(self):
        before = native.in_use(), second.in_use()
        x = native.copied_float32(np.ones(1000, np.float32))
        address = native.address_float32(x)
        self.assertIs(type(x), type(second.three()))
        second.keep(x)
        del x
        gc.collect()
        self.assertNotEqual(second.address_of_kept(), address)  # another library's, as any array of Python
        self.assertEqual(second.sum_of_kept(), 1000)
        self.assertEqual(native.in_use(), before[0])
        self.assertGreater(second.in_use(), before[1])
        second.give_up()
        self.assertEqual((native.in_use(), second.in_use()), before)
        y = native.same_float32(second.three())  # back by this one's function
        self.assertEqual(second.in_use(), before[1])
        np.testing.assert_array_equal(np.from_dlpack(y), np.full(100, 3))
        del y
        gc.collect()
        self.assertEqual((native.in_use(), second.in_use()), before)

    def test_arrays_that_may_not_be_written_come_in(self):
        x = np.ones(4, np.float32)
        x.flags.writeable = False
        self.assertEqual(native.address_float32(x), x.ctypes.data)

    def test_refusals(self):
        with self.assertRaisesRegex(TypeError, "to be of float32 on cpu, and the array is of complex64"):
            native.same_float32(np.zeros(2, np.complex64))
        with self.assertRaises(BufferError):  # NumPy's: it exports no other byte order
            native.same_float32(np.zeros(2, ">f4"))
        with self.assertRaisesRegex(TypeError, "multiples of 4 bytes"):
            native.same_float32(np.frombuffer(b"0123456789abc", np.uint8)[1:9].view(np.float32))
        with self.assertRaisesRegex(TypeError, "of 9 axes"):
            native.same_float32(np.zeros((1,) * 9, np.float32))
        with self.assertRaisesRegex(TypeError, "incompatible function arguments"):
            native.same_float32("text")
        with self.assertRaisesRegex(TypeError, "incompatible function arguments"):
            native.zeros_or(np.zeros(2))
        self.assertEqual(native.zeros_or(None).shape, (2,))

    def test_bytes_that_are_no_bool(self):
        given = np.array([[1, 0, 1], [0, 255, 1]], np.uint8)
        wanted = r"element \(1, 1\) of shape \(2, 3\) is the byte 255, and a bool is 0 or 1"
        for array in (given.view(bool), np.asfortranarray(given).view(bool)):
            with self.assertRaisesRegex(TypeError, wanted):
                native.same_bool(array)
        x = native.copied_bool(np.zeros((2, 3), bool))
        view = np.from_dlpack(x).view(np.uint8)
        self.assertFalse(np.from_dlpack(native.same_bool(x)).any())
        view[1, 1] = 255
        with self.assertRaisesRegex(TypeError, wanted):
            native.same_bool(x)
        del view
        gc.collect()
        with self.assertRaisesRegex(TypeError, wanted):  # the array is gone, and the byte is there
            native.same_bool(x)

    def test_overloads(self):
        self.assertEqual(native.place(np.zeros(2, np.int64)), "int64 on cpu")
        self.assertEqual(native.place(native.to_gpu(np.zeros(2, np.float32))), "float32 on cuda:0")
        x = np.zeros(2)
        with self.assertRaisesRegex(TypeError, "incompatible function arguments"):
            native.place(x)
        with self.assertRaisesRegex(TypeError, "of float64"):
            native.same_float32(x)

    def test_devices(self):
        x = native.to_gpu(np.arange(3, dtype=np.float32))
        self.assertEqual(x.__dlpack_device__(), (2, 0))
        self.assertRegex(repr(x), r"situ.Tensor\(shape=\(3,\), dtype=float32, device='cuda:0 \(emulated\)'\)")
        for given in (x, Foreign(x), Foreign(x, versions=False)):
            y = native.to_cpu(native.doubled_on_gpu(given))
            np.testing.assert_array_equal(np.from_dlpack(y), [0, 2, 4])
        wanted = r"float32 on cuda:0 \(emulated\), and the argument is on "
        with self.assertRaisesRegex(TypeError, wanted + r"cpu; .*\.to\('cuda:0'\)"):
            native.to_cpu(np.zeros(3, np.float32))
        with self.assertRaisesRegex(TypeError, wanted + "cuda:1; move it to that GPU"):
            native.to_cpu(native.to_second_gpu(np.zeros(3, np.float32)))
        with self.assertRaisesRegex(TypeError, r"on cpu, and the argument is on cuda:0; .*the host .*x\.cpu\(\)"):
            native.same_float32(x)
        with self.assertRaises(BufferError):
            x.__dlpack__(dl_device=(1, 0))
        with self.assertRaisesRegex(Exception, "0 and other negative numbers"):
            x.__dlpack__(stream=0)

    def test_protocol(self):
        x = native.copied_float32(np.zeros(3, np.float32))
        self.assertIn("dltensor_versioned", repr(x.__dlpack__(max_version=(1, 0))))
        self.assertNotIn("versioned", repr(x.__dlpack__()))
        first, second = np.from_dlpack(x), np.from_dlpack(x)
        first[0] = 5
        self.assertEqual(second[0], 5)
        copied = np.from_dlpack(x, copy=True) if np.lib.NumpyVersion(np.__version__) >= "2.1.0" else first.copy()
        copied[0] = 6
        self.assertEqual(first[0], 5)
        self.assertEqual(np.asarray(x, dtype=np.float64).dtype, np.float64)


@unittest.skipIf(torch is None, "PyTorch is not installed")
class PyTorch(unittest.TestCase):
    def test_without_a_copy(self):
        for kind in [*TYPES, "bfloat16"]:
            x = torch.arange(12).reshape(3, 4).to(getattr(torch, kind)).t()
            self.assertEqual(getattr(native, "address_" + kind)(x), x.data_ptr())
            back = torch.from_dlpack(getattr(native, "same_" + kind)(x))
            self.assertEqual(back.dtype, x.dtype)
            self.assertTrue(torch.equal(back, x))

    def test_what_records_gradients_is_refused_by_pytorch(self):
        with self.assertRaisesRegex(Exception, "require gradient"):
            native.same_float32(torch.zeros(2, requires_grad=True))


@unittest.skipIf(jax is None, "JAX is not installed")
class Jax(unittest.TestCase):
    def test_without_a_copy(self):
        for kind in TYPES[1:]:  # bool has a code of its own in DLPack 1, which JAX learnt late
            if kind in ("int64", "float64"):
                continue  # JAX has them by a setting only
            x = jax.numpy.arange(12).astype(kind).reshape(3, 4)
            self.assertEqual(getattr(native, "address_" + kind)(x), x.unsafe_buffer_pointer())
            back = jax.dlpack.from_dlpack(getattr(native, "same_" + kind)(x))
            self.assertEqual(back.dtype, x.dtype)
            np.testing.assert_array_equal(np.asarray(back), np.asarray(x))

    def test_the_type_is_checked(self):
        with self.assertRaisesRegex(TypeError, "to be of float32 on cpu, and the array is of int32;"):
            native.same_float32(jax.numpy.arange(3))


if __name__ == "__main__":
    unittest.main()
