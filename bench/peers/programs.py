"""Programs of BenchmarkProgram, line by line. NumPy has no error function."""

import math

import numpy

from peer import Missing


def prepare(library, name):
    if library == "numpy":
        if name == "options":
            raise Missing("numpy has no erf")
        return lambda: globals()[name](numpy, numpy.asarray, lambda a, dtype: a.astype(dtype))
    import torch

    return lambda: globals()[name](torch, torch.from_numpy, lambda a, dtype: a.to(dtype))


generator = numpy.random.default_rng(1)


def heat(xp, array, cast):
    u = xp.zeros((512, 512), dtype=xp.float64)
    u[0] = 1
    inner = u[1:-1, 1:-1]
    for _ in range(50):
        flow = u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - inner * 4
        inner += flow * 0.2
    return u


def kmeans(xp, array, cast):
    centres = 20
    points = array(generator.normal(size=(20_000, 16)))
    means = points[:centres]
    for _ in range(5):
        distances = xp.square(points[:, None] - means[None]).sum(2)
        members = cast(distances.argmin(1)[:, None] == xp.arange(centres), xp.float64)
        means = (members.T @ points) / members.sum(0)[:, None]
    return means


def life(xp, array, cast):
    world = cast(array(generator.random((512, 512), dtype=numpy.float32)) < 0.3, xp.int8)
    for _ in range(20):
        columns = xp.roll(world, -1, 0) + world + xp.roll(world, 1, 0)
        neighbours = xp.roll(columns, -1, 1) + columns + xp.roll(columns, 1, 1) - world
        survives = xp.logical_and(world == 1, neighbours == 2)
        world = cast(xp.logical_or(survives, neighbours == 3), xp.int8)
    return world


def options(xp, array, cast):
    strike, rate, volatility, years = 100.0, 0.03, 0.2, 1.0
    spot = xp.linspace(50, 150, 1_000_000, dtype=xp.float64)

    def normal(x):
        return (xp.erf(x / math.sqrt(2)) + 1) * 0.5

    d1 = (xp.log(spot / strike) + (rate + volatility * volatility / 2) * years) / (volatility * math.sqrt(years))
    d2 = d1 - volatility * math.sqrt(years)
    return spot * normal(d1) - normal(d2) * (strike * math.exp(-rate * years))


def nbody(xp, array, cast):
    bodies, step = 400, 0.01
    places = array(generator.normal(size=(bodies, 3)))
    speeds = xp.zeros((bodies, 3), dtype=xp.float64)
    for _ in range(5):
        apart = places[None] - places[:, None]
        strength = (xp.square(apart).sum(2) + 0.01) ** -1.5
        pull = (apart * strength[..., None]).sum(1) / bodies
        speeds = speeds + pull * step
        places = places + speeds * step
    return places


def mandelbrot(xp, array, cast):
    re, im = xp.linspace(-2, 0.6, 400, dtype=xp.float64), xp.linspace(-1.2, 1.2, 300, dtype=xp.float64)
    c = re + 1j * im[:, None]
    z, count = xp.zeros_like(c), xp.zeros((300, 400), dtype=xp.int64)
    far = array(numpy.array(2 + 0j))
    for _ in range(20):
        z = xp.square(z) + c
        near = abs(z) < 2
        count = count + cast(near, xp.int64)
        z = xp.where(near, z, far)
    return count
