"""Measures PyTorch on what bench.test measures, and prints one table of both: python3 peers.py OUTPUT-OF-BENCH.TEST"""
import re
import sys
import time

try:
    import torch
    assert torch.cuda.is_available()
except Exception as problem:  # the table is then of weft alone
    print("PyTorch on a GPU is not here:", problem)
    torch = None

ROWS, COLUMNS = 1 << 18, 1 << 10  # of 1 GiB

# The most of PyTorch's time that weft may take. Bars of other numbers stand beside these in what bench.test prints.
BARS = {
    "MatMul/4096": 1 / 0.98, "MatMul/8192": 1 / 0.98, "MatMul/bfloat16": 1 / 0.98,
    "Sum/all": 1, "Sum/rows": 1, "Sum/columns": 1, "Softmax": 1, "LayerNorm": 1,
    "Chain": 0.7, "ChainCaptured": 0.25, "LeNet": 0.5,
    "Conv/float32": 1, "Conv/float32/gradients": 1, "Conv/bfloat16": 1, "Conv/bfloat16/gradients": 1,
}


def seconds(compute, calls=1, least=1.0):
    """The median time of a call; so many follow one another, and then are waited for. A GPU that is hot is slower: what bench.test measures for
    a second is measured for a second here."""
    compute()
    torch.cuda.synchronize()
    all, started = [], time.perf_counter()
    while len(all) < 10 or time.perf_counter() - started < least:
        begin = time.perf_counter()
        for _ in range(calls):
            compute()
        torch.cuda.synchronize()
        all.append((time.perf_counter() - begin) / calls)
    return sorted(all)[len(all) // 2]


def cases():
    device = "cuda"
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    x, y = torch.full((ROWS, COLUMNS), 0.5, device=device), torch.full((ROWS, COLUMNS), 0.5, device=device)
    row = torch.ones(COLUMNS, device=device)
    yield "Copy", lambda: x.clone()
    yield "Add", lambda: x + y
    yield "RowBroadcast", lambda: x + row
    yield "Exp", lambda: x.exp()
    yield "Sum/all", lambda: x.sum()
    yield "Sum/rows", lambda: x.sum(1)
    yield "Sum/columns", lambda: x.sum(0)
    yield "Softmax", lambda: torch.softmax(x, -1)
    yield "LayerNorm", lambda: torch.nn.functional.layer_norm(x, (COLUMNS,), row, row)
    del y
    for name, n, kind in ("4096", 4096, torch.float32), ("8192", 8192, torch.float32), ("bfloat16", 8192, torch.bfloat16):
        a, b = (torch.empty(n, n, device=device, dtype=kind).uniform_(-1, 1) for _ in range(2))
        yield "MatMul/" + name, lambda: a @ b
    z, one = torch.zeros(1024, device=device), torch.ones(1024, device=device)

    def chain():
        for _ in range(1000):
            z.add_(one)

    yield "Chain", chain
    yield "ChainCaptured", chain
    large, factor, term = torch.ones(ROWS // 4, COLUMNS, device=device), torch.full((1,), 0.5, device=device), torch.ones(COLUMNS, device=device)

    def fused():
        for _ in range(5):
            large.mul_(factor)
            large.add_(term)

    yield "ChainFused", fused
    del large
    yield "LeNet", lenet(device)
    for kind in "float32", "bfloat16":
        images = torch.full((64, 256, 28, 28), 0.5, device=device, dtype=getattr(torch, kind), requires_grad=True)
        filters = torch.full((256, 256, 3, 3), 0.5, device=device, dtype=getattr(torch, kind), requires_grad=True)
        with torch.no_grad():
            yield "Conv/" + kind, lambda: torch.nn.functional.conv2d(images, filters, padding=1)
        yield f"Conv/{kind}/gradients", lambda: torch.autograd.grad(torch.nn.functional.conv2d(images, filters, padding=1).sum(), (images, filters))
    del images, filters
    host = torch.ones(1 << 28).pin_memory()
    yield "ToDevice", lambda: host.to(device, non_blocking=True)


def lenet(device):
    nn = torch.nn
    model = nn.Sequential(
        nn.Conv2d(1, 20, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(20, 50, 5), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(800, 500), nn.ReLU(), nn.Linear(500, 10)).to(device)
    optimiser = torch.optim.SGD(model.parameters(), 0.01, momentum=0.9)
    x, labels = torch.full((256, 1, 28, 28), 0.5, device=device), torch.full((256,), 3, device=device)

    def step():
        optimiser.zero_grad(set_to_none=True)
        nn.functional.cross_entropy(model(x), labels).backward()
        optimiser.step()

    return step


def measure():
    """The time of each case that runs. Where one cannot be made, those behind it are not measured."""
    times = {}
    try:
        print(torch.__version__, torch.version.cuda, torch.cuda.get_device_name())
        for name, compute in cases():
            try:
                times[name] = seconds(compute, calls=50 if name == "LeNet" else 1)  # weft, too, waits for every fiftieth step
            except Exception as problem:
                print(name, problem)
    except Exception as problem:
        print("PyTorch is measured no further:", problem)
    return times


def main():
    weft, more = {}, {}
    for line in open(sys.argv[1]):
        found = re.match(r"Benchmark([\w/]+?)(?:-\d+)?\s+\d+\s+([\d.e+]+) ns/op(.*)", line)
        if found:
            weft[found[1]], more[found[1]] = float(found[2]) / 1e9, " ".join(found[3].split())
    if not weft:
        sys.exit(f"there is no benchmark in {sys.argv[1]}")
    torches = measure() if torch else {}
    print("| case | weft, ms | PyTorch, ms | weft/PyTorch | bar | | |\n|---|---|---|---|---|---|---|")
    for name, own in weft.items():
        other, bar, ratio, verdict = torches.get(name), BARS.get(name), None, ""
        if other:
            ratio = own / other
        if bar:
            verdict = "not measured" if ratio is None else "met" if ratio <= bar else "missed"
        found = re.search(r"([\d.]+) [\w/-]+\(bar:([\d.]+)\)", more[name])
        if found:  # the number is to be as large as its bar, at least
            verdict = "met" if float(found[1]) >= float(found[2]) else "missed"
        cells = [f"{own * 1e3:.4g}", other and f"{other * 1e3:.4g}", ratio and f"{ratio:.3f}", bar and f"{bar:.3g}", verdict, more[name]]
        print(f"| {name} | " + " | ".join(cell or "" for cell in cells) + " |")


main()
