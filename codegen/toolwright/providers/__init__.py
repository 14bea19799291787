from .ledger import LedgerEntry as LedgerEntry
