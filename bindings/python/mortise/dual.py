"""Exact derivatives of plain Python functions, for rows and drivers.

A :class:`Dual` carries a value, its gradient in the arguments, and the first two derivatives along the motion. Python's
arithmetic works on it; ``mortise.sin`` and friends do the rest, ``math.sin`` does not.
"""

from __future__ import annotations

import math
from typing import Any, Callable, List, Sequence, Tuple, Union


class Dual:
    """A number with derivatives: ``value``, ``gradient`` and, along the path, ``first`` and ``second``."""

    __slots__ = ("value", "gradient", "first", "second")
    __array_ufunc__ = None  # numpy leaves arithmetic with its scalars to us

    def __init__(self, value: float, gradient: Sequence[float] = (), first: float = 0.0, second: float = 0.0) -> None:
        self.value, self.gradient, self.first, self.second = value, gradient, first, second

    def _through(self, f: float, df: float, ddf: float) -> "Dual":
        """f(self) by the chain rule."""
        return Dual(f, [df * g for g in self.gradient], df * self.first, ddf * self.first**2 + df * self.second)

    def _lift(self, other: Any) -> "Dual":
        if isinstance(other, Dual):
            return other
        return Dual(float(other), [0.0] * len(self.gradient))

    def __add__(self, other: Any) -> "Dual":
        o = self._lift(other)
        return Dual(
            self.value + o.value,
            [a + b for a, b in zip(self.gradient, o.gradient)],
            self.first + o.first,
            self.second + o.second,
        )

    __radd__ = __add__

    def __neg__(self) -> "Dual":
        return self._through(-self.value, -1.0, 0.0)

    def __pos__(self) -> "Dual":
        return self

    def __sub__(self, other: Any) -> "Dual":
        return self + -self._lift(other)

    def __rsub__(self, other: Any) -> "Dual":
        return self._lift(other) + -self

    def __mul__(self, other: Any) -> "Dual":
        o = self._lift(other)
        return Dual(
            self.value * o.value,
            [a * o.value + self.value * b for a, b in zip(self.gradient, o.gradient)],
            self.first * o.value + self.value * o.first,
            self.second * o.value + 2 * self.first * o.first + self.value * o.second,
        )

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> "Dual":
        o = self._lift(other)
        return self * o._through(1 / o.value, -1 / o.value**2, 2 / o.value**3)

    def __rtruediv__(self, other: Any) -> "Dual":
        return self._lift(other) / self

    def __pow__(self, power: Any) -> "Dual":
        if isinstance(power, Dual):
            return _exp(power * _log(self))
        p, x = float(power), self.value
        if p == 0:
            return self._lift(1.0)
        if p == 1:
            return self
        return self._through(x**p, p * x ** (p - 1), p * (p - 1) * x ** (p - 2) if p != 2 else 2.0)

    def __rpow__(self, base: Any) -> "Dual":
        return _exp(self * math.log(float(base)))

    def __abs__(self) -> "Dual":
        return -self if self.value < 0 else self

    def __lt__(self, other: Any) -> bool:
        return self.value < self._lift(other).value

    def __le__(self, other: Any) -> bool:
        return self.value <= self._lift(other).value

    def __gt__(self, other: Any) -> bool:
        return self.value > self._lift(other).value

    def __ge__(self, other: Any) -> bool:
        return self.value >= self._lift(other).value

    def __repr__(self) -> str:
        return f"Dual({self.value!r}, gradient={list(self.gradient)!r})"

    def __float__(self) -> float:
        raise TypeError("this function is differentiated: use mortise.sin, mortise.sqrt, … instead of those of math")


def _exp(x: Dual) -> Dual:
    y = math.exp(x.value)
    return x._through(y, y, y)


def _log(x: Dual) -> Dual:
    return x._through(math.log(x.value), 1 / x.value, -1 / x.value**2)


def _function(
    name: str, f: Callable[[float], float], slopes: Callable[[float, float], Tuple[float, float]]
) -> Callable[[Any], Any]:
    def call(x: Any) -> Any:
        if not isinstance(x, Dual):
            return f(x)
        y = f(x.value)
        return x._through(y, *slopes(x.value, y))

    call.__name__ = name
    call.__doc__ = f"{name} of a number, or of one with derivatives."
    return call


sin = _function("sin", math.sin, lambda x, y: (math.cos(x), -y))
cos = _function("cos", math.cos, lambda x, y: (-math.sin(x), -y))
tan = _function("tan", math.tan, lambda x, y: (1 + y * y, 2 * y * (1 + y * y)))
exp = _function("exp", math.exp, lambda x, y: (y, y))
log = _function("log", math.log, lambda x, y: (1 / x, -1 / x**2))
sqrt = _function("sqrt", math.sqrt, lambda x, y: (0.5 / y, -0.25 / (x * y)))
atan = _function("atan", math.atan, lambda x, y: (1 / (1 + x * x), -2 * x / (1 + x * x) ** 2))
tanh = _function("tanh", math.tanh, lambda x, y: (1 - y * y, -2 * y * (1 - y * y)))


class Explicit:
    """Marks a function that gives its derivatives itself: quicker than differentiating it. See docs/python.md."""

    def __init__(self, function: Callable[..., Any]) -> None:
        if not callable(function):
            raise TypeError(f"explicit: expected a function, found {function!r}")
        self.function = function


explicit = Explicit


def driver_function(f: Union[Explicit, Callable[[Any], Any]]) -> Callable[[float], Any]:
    """t → (f, f', f'')."""
    if isinstance(f, Explicit):
        return f.function
    plain = f

    def jet(t: float) -> Tuple[float, float, float]:
        y = plain(Dual(t, (), 1.0, 0.0))
        if isinstance(y, Dual):
            return y.value, y.first, y.second
        return _constant(y, f), 0.0, 0.0

    return jet


def row_function(f: Union[Explicit, Callable[..., Any]], count: int) -> Callable[..., Any]:
    """(x…, ẋ…) → (φ, gradient…, the part of φ̈ that is free of accelerations)."""
    if isinstance(f, Explicit):
        return f.function
    plain = f
    units = [[1.0 if j == k else 0.0 for j in range(count)] for k in range(count)]

    def row(*args: float) -> List[float]:
        y = plain(*[Dual(args[k], units[k], args[count + k]) for k in range(count)])
        if not isinstance(y, Dual):
            y = Dual(_constant(y, f), [0.0] * count)
        return [y.value, *y.gradient, y.second]

    return row


def _constant(y: Any, f: Any) -> float:
    try:
        return float(y)
    except (TypeError, ValueError):
        raise TypeError(f"{getattr(f, '__name__', f)!s} returned {y!r}, expected a number") from None
