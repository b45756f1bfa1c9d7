"""Whole steps of training of the networks of examples/mnist: mnist LIBRARY SECONDS MODEL BATCH [compiled]."""

from peer import Missing


def prepare(library, model, batch, way="eager"):
    if library != "torch":
        raise Missing(f"{library} trains no networks")
    import torch
    from torch import nn

    networks = {
        "mlp": ((784,), [nn.Linear(784, 128), nn.ReLU(), nn.Linear(128, 64), nn.ReLU(), nn.Linear(64, 10)]),
        "lenet": (
            (1, 28, 28),
            [
                nn.Conv2d(1, 20, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(20, 50, 5), nn.ReLU(), nn.MaxPool2d(2),
                nn.Flatten(), nn.Linear(800, 500), nn.ReLU(), nn.Linear(500, 10),
            ],
        ),
    }
    torch.set_grad_enabled(True)  # other cases turn it off
    shape, layers = networks[model]
    network = nn.Sequential(*layers)
    optimiser = torch.optim.SGD(network.parameters(), lr=0.01, momentum=0.9)
    measure = nn.CrossEntropyLoss()
    x, labels = torch.rand(int(batch), *shape), torch.randint(10, (int(batch),))

    def forward(x, labels):
        return measure(network(x), labels)

    update = optimiser.step
    if way == "compiled":  # by inductor, forward and backward, and the update
        torch._dynamo.reset()  # of the networks before
        forward, update = torch.compile(forward), torch.compile(update)

    def step():
        optimiser.zero_grad()
        forward(x, labels).backward()
        update()

    return step
