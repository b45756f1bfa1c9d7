"""Attention in PyTorch: arguments are forward or train, a case whose name may end with a mask, and its samples, heads, times, others and size."""


def prepare(library, direction, case, *sizes):
    import torch
    from torch.nn import functional

    samples, heads, times, others, size = (int(n) for n in sizes)
    q, k, v = (torch.randn(samples, n, heads, size).transpose(1, 2) for n in (times, others, others))
    masks = {
        "causal": lambda: torch.ones(times, others, dtype=torch.bool).tril(),
        "padded": lambda: torch.rand(samples, 1, 1, others) > 0.2,
        "added": lambda: torch.randn(heads, times, others),
    }
    name = case.partition("_")[2]
    mask = masks[name]() if name else None

    def forward():
        with torch.inference_mode():
            functional.scaled_dot_product_attention(q, k, v, mask)

    def train():
        watched = [x.detach().requires_grad_() for x in (q, k, v)]
        functional.scaled_dot_product_attention(*watched, mask).sum().backward()

    return {"forward": forward, "train": train}[direction]
