"""Prices and discounts of a basket, in cents."""


def discount(total_cents: int, percent: float) -> int:
    return int(total_cents * percent / 100)


def total(items: list[dict]) -> int:
    return sum(item["price_cents"] * item["quantity"] for item in items)


def to_pay(items: list[dict], percent: float = 0) -> int:
    amount = total(items)
    return amount - discount(amount, percent)
