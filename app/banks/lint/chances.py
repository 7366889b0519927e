"""The two tails of the binomial distribution, exact to what a float holds."""

from math import exp, lgamma, log, log1p


def at_least(count: int, trials: int, chance: float) -> float:
    """The chance of `count` or more in `trials`."""
    return sum(_exactly(each, trials, chance) for each in range(max(0, count), trials + 1))


def at_most(count: int, trials: int, chance: float) -> float:
    """The chance of `count` or fewer in `trials`."""
    return sum(_exactly(each, trials, chance) for each in range(min(count, trials) + 1))


def _exactly(count: int, trials: int, chance: float) -> float:
    """For 0 < chance < 1; by logarithms, for the binomial coefficient of a large class is no float."""
    ways = lgamma(trials + 1) - lgamma(count + 1) - lgamma(trials - count + 1)
    return exp(ways + count * log(chance) + (trials - count) * log1p(-chance))
