"""Writes what recurrent layers of PyTorch give for inputs and parameters that follow from a formula, as JSON."""

import json
import sys

import torch


def numbers(first, shape):
    """As numbers in recurrent_pytorch_test.go."""
    count = torch.Size(shape).numel()
    return torch.sin(first + 0.7 * torch.arange(count, dtype=torch.float64)).reshape(shape) / 2


def results(kind, layers, both, bias, packed):
    layer = {"LSTM": torch.nn.LSTM, "GRU": torch.nn.GRU}.get(kind, torch.nn.RNN)
    options = {"nonlinearity": "relu"} if kind == "rectified RNN" else {}
    layer = layer(3, 4, layers, batch_first=True, bidirectional=both, bias=bias, dtype=torch.float64, **options)
    for i, p in enumerate(layer.parameters()):
        p.data = numbers(i, p.shape)
    x = numbers(0.5, (3, 5, 3)).requires_grad_()
    units = layers * (2 if both else 1)
    states = [numbers(10.0 + i, (units, 3, 4)) for i in range(2 if kind == "LSTM" else 1)]
    given = tuple(states) if kind == "LSTM" else states[0]
    inputs = x
    if packed:
        inputs = torch.nn.utils.rnn.pack_padded_sequence(x, torch.tensor([3, 5, 1]), batch_first=True, enforce_sorted=False)
    y, last = layer(inputs, given)
    if packed:
        y = torch.nn.utils.rnn.pad_packed_sequence(y, batch_first=True, total_length=5)[0]
    last = list(last) if kind == "LSTM" else [last]
    sum(a.square().sum() for a in [y, *last]).backward()
    return [a.flatten().tolist() for a in [y, *last, x.grad, *(p.grad for p in layer.parameters())]]


cases = json.load(sys.stdin)
json.dump([[[round(v, 8) for v in a] for a in results(**c)] for c in cases], sys.stdout)
