"""By how many bytes a process grows at its peak that trains a network of mnist.py: mnist_memory.py MODEL BATCH STEPS."""

import sys

import peer

sys.modules["peer"] = peer

import mnist
import torch


def own(name):
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith(name)) * 1024


torch.set_num_threads(2)
model, batch, steps = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
idle = own("VmRSS:")
step = mnist.prepare("torch", model, batch)
for _ in range(steps):
    step()
print(own("VmHWM:") - idle)
