"""Operators of networks in PyTorch: arguments are a case, such as softmax/1024x1024, and forward or backward."""

import time


def prepare(library, case, direction):
    """The call that writes into memory that is there, or the one that allocates, whichever is faster."""
    return min(calls(case, direction), key=quickest)  # operands need no gradients, so there is no graph


def quickest(call):
    times = []
    for _ in range(5):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def calls(case, direction):
    import torch

    aten = torch.ops.aten
    forward = direction == "forward"
    name, _, size = case.partition("/")
    size, _, columns = size.partition("/")
    axis = 0 if columns else -1
    if size:
        x = torch.randn([int(n) for n in size.split("x")])
        y, u, out = torch.softmax(x, axis), torch.randn_like(x), torch.empty_like(x)
        if name == "log_softmax":
            y = torch.log_softmax(x, axis)
            if forward:
                return [lambda: aten._log_softmax.out(x, axis, False, out=out), lambda: aten._log_softmax(x, axis, False)]
            return [
                lambda: aten._log_softmax_backward_data.out(u, y, axis, torch.float32, out=out),
                lambda: aten._log_softmax_backward_data(u, y, axis, torch.float32),
            ]
        if forward:
            return [lambda: aten._softmax.out(x, axis, False, out=out), lambda: aten._softmax(x, axis, False)]
        return [
            lambda: aten._softmax_backward_data.out(u, y, axis, torch.float32, grad_input=out),
            lambda: aten._softmax_backward_data(u, y, axis, torch.float32),
        ]
    if name == "layer_norm":
        x, w, b = torch.randn(1024, 768), torch.randn(768), torch.randn(768)
        u = torch.randn_like(x)
        y, m, r = aten.native_layer_norm(x, [768], w, b, 1e-5)
        if forward:
            return [
                lambda: aten.native_layer_norm.out(x, [768], w, b, 1e-5, out0=y, out1=m, out2=r),
                lambda: aten.native_layer_norm(x, [768], w, b, 1e-5),
            ]
        return [lambda: aten.native_layer_norm_backward(u, x, [768], m, r, w, b, [True, True, True])]
    x = torch.randn(32, 64, 56, 56)
    if name == "batch_norm":
        w, b, mean, variance, u = torch.randn(64), torch.randn(64), torch.zeros(64), torch.ones(64), torch.randn_like(x)
        y, m, r = aten.native_batch_norm(x, w, b, mean, variance, True, 0.1, 1e-5)
        if forward:
            return [
                lambda: aten.native_batch_norm.out(x, w, b, mean, variance, True, 0.1, 1e-5, out=y, save_mean=m, save_invstd=r),
                lambda: aten.native_batch_norm(x, w, b, mean, variance, True, 0.1, 1e-5),
            ]
        return [lambda: aten.native_batch_norm_backward(u, x, w, mean, variance, m, r, True, 1e-5, [True, True, True])]
    y, i = aten.max_pool2d_with_indices(x, [2, 2], [2, 2])
    u, g = torch.randn_like(y), torch.empty_like(x)
    if forward:
        return [
            lambda: aten.max_pool2d_with_indices.out(x, [2, 2], [2, 2], out=y, indices=i),
            lambda: aten.max_pool2d_with_indices(x, [2, 2], [2, 2]),
        ]
    return [
        lambda: aten.max_pool2d_with_indices_backward.grad_input(
            u, x, [2, 2], [2, 2], [0, 0], [1, 1], False, i, grad_input=g
        ),
        lambda: aten.max_pool2d_with_indices_backward(u, x, [2, 2], [2, 2], [0, 0], [1, 1], False, i),
    ]
