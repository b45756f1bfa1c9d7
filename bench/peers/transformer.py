"""Whole steps of training of a character transformer: transformer LIBRARY SECONDS LAYERS HEADS WIDTH CONTEXT BATCH VOCABULARY
[compiled]."""

import time

from peer import Missing


def prepare(library, layers, heads, width, context, batch, vocabulary, way="eager"):
    """The step with PyTorch's fused attention or with its formula, whichever is faster."""
    if library != "torch":
        raise Missing(f"{library} trains no networks")
    sizes = [int(n) for n in (layers, heads, width, context, batch, vocabulary)]
    steps = [training(fused, way == "compiled", *sizes) for fused in (True, False)]
    return min(steps, key=quickest)


def quickest(step):
    times = []
    for _ in range(4):
        start = time.perf_counter()
        step()
        times.append(time.perf_counter() - start)
    return min(times)


def training(fused, compiled, layers, heads, width, context, batch, vocabulary):
    import torch
    from torch import nn
    from torch.nn import functional

    torch.set_grad_enabled(True)  # other cases turn it off

    class Attention(nn.Module):
        def __init__(self):
            super().__init__()
            self.project, self.join = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.register_buffer("later", torch.full((context, context), float("-inf")).triu(1))

        def forward(self, x):
            q, k, v = (a.view(batch, context, heads, -1).transpose(1, 2) for a in self.project(x).split(width, dim=2))
            if fused:
                y = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
            else:
                y = torch.softmax(torch.baddbmm(self.later, q.reshape(batch * heads, context, -1), k.reshape(batch * heads, context, -1).transpose(1, 2),
                                                alpha=(width // heads) ** -0.5), dim=-1)
                y = torch.bmm(y, v.reshape(batch * heads, context, -1)).view(batch, heads, context, -1)
            return self.join(y.transpose(1, 2).reshape(batch, context, width))

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.attention = nn.Sequential(nn.LayerNorm(width), Attention())
            self.feed = nn.Sequential(nn.LayerNorm(width), nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

        def forward(self, x):
            x = x + self.attention(x)
            return x + self.feed(x)

    class Transformer(nn.Module):
        def __init__(self):
            super().__init__()
            self.tokens, self.places = nn.Embedding(vocabulary, width), nn.Embedding(context, width)
            self.blocks = nn.Sequential(*(Block() for _ in range(layers)), nn.LayerNorm(width), nn.Linear(width, vocabulary))
            self.register_buffer("positions", torch.arange(context))

        def forward(self, x):
            return self.blocks(self.tokens(x) + self.places(self.positions))

    network = Transformer()
    optimiser = torch.optim.AdamW(network.parameters(), lr=1e-3, fused=True)
    x, labels = torch.randint(vocabulary, (batch, context)), torch.randint(vocabulary, (batch, context))

    def forward(x, labels):
        return functional.cross_entropy(network(x).view(-1, vocabulary), labels.view(-1))

    update = optimiser.step
    if compiled:  # by inductor, forward and backward, and the update
        forward, update = torch.compile(forward), torch.compile(update)

    def step():
        optimiser.zero_grad()
        forward(x, labels).backward()
        update()

    return step
