"""Recurrent layers in PyTorch: arguments are a kind, forward or train, and the samples, times, features and hidden elements."""


def prepare(library, kind, direction, *sizes):
    import torch

    samples, times, features, hidden = (int(n) for n in sizes)
    layer = {"lstm": torch.nn.LSTM, "gru": torch.nn.GRU, "rnn": torch.nn.RNN}[kind](features, hidden, batch_first=True)
    x = torch.randn(samples, times, features)
    if direction == "forward":

        def call():
            with torch.inference_mode():
                layer(x)

        return call

    def step():
        layer.zero_grad()
        layer(x)[0].sum().backward()

    return step
