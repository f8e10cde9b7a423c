"""What is in the warehouse, kept in SQLite."""
import sqlite3


class Stock:
    def __init__(self, path: str) -> None:
        self.db = sqlite3.connect(path)

    def reserve(self, sku: str, count: int) -> None:
        self.db.execute("UPDATE stock SET free = free - ? WHERE sku = ?", (count, sku))
        self.db.commit()

    def free(self, sku: str) -> int:
        return self.db.execute("SELECT free FROM stock WHERE sku = ?", (sku,)).fetchone()[0]
