"""Weight matrices and the linear layer, in the form that is fastest for the number of rows.

On CPU in float32 a matrix is kept twice: as it is, which is fastest for one to three rows (a decode step), and packed
in oneDNN's blocked order, which is 1.3 to 2.2 times faster for 4 to 32 rows (a verify) and still ahead in a prefill.
Measured cold, with every other matrix of a 135M model read in between; W x^T instead of x W^T gained nothing there.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import linear as torch_linear

_PACKED_FROM_ROWS = 4


@dataclass(frozen=True, slots=True)
class Matrix:
    """A weight matrix [out, in] with its bias [out]; `packed` is the same matrix in oneDNN's order, if it pays."""

    weight: Tensor
    bias: Tensor | None = None
    packed: Tensor | None = None

    @classmethod
    def of(cls, weight: Tensor, bias: Tensor | None = None) -> Matrix:
        """The matrix, packed too where this build of torch can and it is of use."""
        has_onednn: bool = torch.backends.mkldnn.is_available()  # type: ignore[no-untyped-call]
        if not has_onednn or weight.device.type != "cpu" or weight.dtype != torch.float32:
            return cls(weight, bias)
        return cls(weight, bias, torch.ops.mkldnn._reorder_linear_weight(weight, None))


def linear(x: Tensor, matrix: Matrix) -> Tensor:
    """`x @ weight.T + bias` for x [T, in]: [T, out]."""
    if matrix.packed is None or x.shape[0] < _PACKED_FROM_ROWS:
        return torch_linear(x, matrix.weight, matrix.bias)
    y: Tensor = torch.ops.mkldnn._linear_pointwise(x, matrix.packed, matrix.bias, "none", [], "")
    return y
