"""What the chapters use to check and to teach: receipts and the ledger's logic."""

from linear_icl.course.receipts import ReceiptError, receipt

__all__ = ["ReceiptError", "receipt"]
