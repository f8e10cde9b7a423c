"""Reads the supplier's product feed."""
import json
from datetime import datetime


def parse_line(line: str) -> dict:
    raw = json.loads(line)
    return {
        "sku": raw["sku"],
        "price_cents": round(float(raw["price"]) * 100),
        "valid_from": datetime.strptime(raw["valid_from"], "%Y-%m-%d"),
    }


def parse(text: str) -> list[dict]:
    return [parse_line(line) for line in text.splitlines()]
