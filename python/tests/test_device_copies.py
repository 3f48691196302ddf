# SPDX-License-Identifier: BSD-3-Clause
"""Tests a library whose device memory the host cannot read: arrays are copied to the device and back."""

import numpy as np
import pytest

import diopi

X = np.array([[1, -2, 3], [4, 5, -6]], np.float32)


@pytest.fixture(scope="module")
def far(lib):
    """The library of the vendor minimal: each access of the host to its memory would end the process."""
    return diopi.load(lib.path.parent / "minimal" / lib.path.name)


def test_results_are_copied_to_numpy(far):
    y = far.relu(X)
    assert isinstance(y, diopi.Tensor)
    assert np.array_equal(y.numpy(), np.maximum(X, 0))
    assert np.array_equal(np.asarray(y), np.maximum(X, 0))
    assert y.tolist() == np.maximum(X, 0).tolist()
    assert "3." in repr(y)
    assert far.relu(y).numpy().sum() == 13, "a tensor of the device is used where it is"
    y.numpy()[...] = 0
    assert y.numpy().sum() == 13, "a copy, not a view"


def test_new_tensors(far):
    t = far.tensor(X[:, ::-1])
    assert np.array_equal(t.numpy(), X[:, ::-1])
    assert far.tensor(3.5).item() == 3.5
    assert far.tensor(np.zeros((0, 3))).numpy().shape == (0, 3)
    assert np.array_equal(far.tensor(t).numpy(), X[:, ::-1])


def test_outputs_are_copied_back(far):
    base = np.full((4, 6), 7, np.float32)
    out = base[1:3, ::2]
    assert far.add(X, X, out=out) is out
    assert np.array_equal(out, 2 * X)
    assert (np.delete(base, [1, 2], 0) == 7).all()
    assert (base[:, 1::2] == 7).all()


def test_in_place(far):
    x = X.copy()
    far.relu_inp(x)
    assert np.array_equal(x, np.maximum(X, 0))


def test_one_array_as_input_and_output(far):
    x = X.copy()
    far.add(x, x, out=x)
    assert np.array_equal(x, 2 * X)


def test_lists(far):
    out = np.zeros((4, 3), np.float32)
    far.cat([X, X], dim=0, out=out)
    assert np.array_equal(out, np.concatenate([X, X]))


def test_an_array_that_is_read_keeps_its_elements(far):
    x = X.copy()
    x.setflags(write=False)
    assert far.relu(x).numpy().sum() == 13
    with pytest.raises(diopi.ReadOnlyError, match="relu: out is"):
        far.relu(X, out=x)


def test_different_views_of_one_memory_are_refused(far):
    base = np.arange(8, dtype=np.float32)
    with pytest.raises(
        diopi.ArgumentError, match="add: out is a tensor that shares memory with input, expected memory"
    ):
        far.add(base[:4], base[4:], out=base[2:6])
    assert base.tolist() == list(range(8))
    assert far.add(base[:4], base[2:6]).tolist() == [2, 4, 6, 8], "inputs may overlap"
    columns = np.zeros((3, 2), np.float32)
    far.add(columns[:, 0], np.ones(3, np.float32), out=columns[:, 1])
    assert columns.tolist() == [[0, 1]] * 3, "neighbours without common elements"


def test_a_failed_call_leaves_arrays(far):
    out = np.full((2, 3), 7, np.float32)
    with pytest.raises(diopi.Error, match="dim = 9 is out of range"):
        far.softmax(X, dim=9, out=out)
    assert (out == 7).all()


def test_other_libraries_get_copies_only_on_the_host(far):
    y = far.relu(X)
    assert y.__dlpack_device__() == (12, 0)
    assert np.array_equal(np.from_dlpack(y, device="cpu"), np.maximum(X, 0))
    with pytest.raises(BufferError, match="extension:0, so it reaches the host only by a copy"):
        y.__dlpack__(dl_device=(1, 0), copy=False)
    with pytest.raises(BufferError, match="the tensor lies on extension:0"):
        y.__dlpack__(dl_device=(2, 0))
    with pytest.raises(BufferError, match="extension:0, which other libraries do not know; numpy\\(\\) copies it"):
        np.from_dlpack(y)


def test_tensors_of_pytorch(far):
    torch = pytest.importorskip("torch")
    x, out = torch.from_numpy(X.copy()).T, torch.zeros(3, 2)
    assert far.relu(x, out=out) is out
    assert torch.equal(out, torch.relu(x))
    half = torch.tensor([1.5, -2.0], dtype=torch.bfloat16)
    result = torch.zeros(2, dtype=torch.bfloat16)
    far.neg(half, out=result)
    assert result.tolist() == [-1.5, 2.0]


def test_a_near_library_in_the_same_process_has_views(lib, far):
    y = lib.relu(X)
    y.numpy()[...] = 0
    assert y.numpy().sum() == 0
    assert far.relu(y).numpy().sum() == 0
    near = lib.tensor(X)
    far.relu(X, out=near)
    assert np.array_equal(near.numpy(), np.maximum(X, 0))
    with pytest.raises(diopi.DeviceError, match="input is on device extension:0, expected a tensor on cpu; numpy()"):
        lib.relu(far.tensor(X))
