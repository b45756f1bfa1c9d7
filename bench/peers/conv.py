"""One direction of 2-d convolutions of square float32 images with square filters: DIRECTION IMAGES CHANNELS SIZE FILTERS KERNEL STRIDE
PADDING GROUPS. The direction is forward, data or weights. PyTorch has oneDNN for it.
"""

from peer import Missing


def prepare(library, direction, *numbers):
    if library != "torch":
        raise Missing(f"{library} has no convolutions")
    import torch

    images, channels, size, filters, kernel, stride, padding, groups = map(int, numbers)
    torch.set_grad_enabled(False)
    x = torch.randn(images, channels, size, size)
    weights = torch.randn(filters, channels // groups, kernel, kernel)

    def forward():
        return torch.nn.functional.conv2d(x, weights, None, stride, padding, 1, groups)

    if direction == "forward":
        return forward
    upstream = torch.randn_like(forward())
    wanted = [direction == "data", direction == "weights", False]
    return lambda: torch.ops.aten.convolution_backward(
        upstream, x, weights, None, [stride] * 2, [padding] * 2, [1, 1], False, [0, 0], groups, wanted
    )
