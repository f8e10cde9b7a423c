import pytest

from shop.feed import parse
from shop.pricing import to_pay
from shop.stock import Stock


def test_discount_is_rounded_for_the_customer():
    # 3 x 0.35 at 15 % off: 105 - 15.75 is 89.25, the customer pays 89.
    assert to_pay([{"price_cents": 35, "quantity": 3}], percent=15) == 89


def test_basket_takes_items_without_quantity():
    assert to_pay([{"price_cents": 250}, {"price_cents": 100, "quantity": 2}]) == 450


@pytest.fixture
def stock(tmp_path):
    return Stock(str(tmp_path / "stock.db"))


def test_reserving_lowers_the_free_count(stock):
    stock.reserve("A-100", 2)
    assert stock.free("A-100") == 8


def test_feed_takes_timestamps():
    feed = '{"sku": "A-100", "price": "3.50", "valid_from": "2026-11-02T08:00:00Z"}\n'
    assert parse(feed)[0]["price_cents"] == 350
