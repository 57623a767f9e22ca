"""What the chapters use to check and to teach: receipts, exercises, the ledger's logic."""

from linear_icl.course.exercises import check, hint, numbers, progress, seed
from linear_icl.course.receipts import ReceiptError, receipt

__all__ = ["ReceiptError", "check", "hint", "numbers", "progress", "receipt", "seed"]
