"""Two tools as specs, and calls of them: what every contestant is given."""

from __future__ import annotations

import json
from typing import Any

SMALL = {
    "name": "forecast",
    "description": "Forecasts the weather of a city.",
    "parameters": {
        "type": "object",
        "required": ["city", "days"],
        "properties": {
            "city": {"type": "string", "minLength": 1},
            "days": {"type": "integer", "enum": [1, 3, 7]},
        },
        "additionalProperties": False,
    },
}

_LINE = {
    "type": "object",
    "required": ["sku", "quantity", "price"],
    "properties": {
        "sku": {"type": "string"},
        "quantity": {"type": "integer", "minimum": 1},
        "price": {"type": "number", "minimum": 0},
    },
    "additionalProperties": False,
}


def _payment(kind: str, field: str) -> dict[str, Any]:
    return {
        "type": "object",
        "required": ["kind", field],
        "properties": {"kind": {"const": kind}, field: {"type": "string"}},
        "additionalProperties": False,
    }


NESTED = {
    "name": "order",
    "description": "Places an order for a customer.",
    "parameters": {
        "type": "object",
        "required": ["customer", "lines", "payment", "labels"],
        "properties": {
            "customer": {
                "type": "object",
                "required": ["id", "name"],
                "properties": {"id": {"type": "string"}, "name": {"type": "string"}},
                "additionalProperties": False,
            },
            "lines": {"type": "array", "items": _LINE},
            "payment": {"anyOf": [_payment("card", "number"), _payment("transfer", "iban")]},
            "labels": {"type": "object", "additionalProperties": {"type": "string"}},
            "note": {"type": "string"},
        },
        "additionalProperties": False,
    },
}

SPECS = (SMALL, NESTED)

_FORECAST: dict[str, Any] = {"city": "Reykjavik", "days": 3}
_ORDER: dict[str, Any] = {
    "customer": {"id": "c-1017", "name": "Ada Lovelace"},
    "lines": [
        {"sku": "A-100", "quantity": 2, "price": 9.5},
        {"sku": "B-200", "quantity": 1, "price": 24.25},
        {"sku": "C-300", "quantity": 12, "price": 0.75},
    ],
    "payment": {"kind": "card", "number": "4111 1111 1111 1111"},
    "labels": {"source": "chat", "priority": "high"},
}


def _pairs(labels: dict[str, str]) -> list[dict[str, str]]:
    return [{"key": key, "value": value} for key, value in labels.items()]


CALLS: dict[str, bytes] = {
    tool: json.dumps(arguments).encode() for tool, arguments in (("forecast", _FORECAST), ("order", _ORDER))
}
"""Arguments as the specs have them, by tool."""

_PAIRED = {**_ORDER, "labels": _pairs(_ORDER["labels"])}
SENT: dict[tuple[str, str], bytes] = {
    ("openai", "forecast"): CALLS["forecast"],
    ("openai", "order"): json.dumps({**_PAIRED, "note": None}).encode(),
    ("gemini", "forecast"): json.dumps({**_FORECAST, "days": "3"}).encode(),
    ("gemini", "order"): json.dumps(_PAIRED).encode(),
}
"""The same arguments as a provider's schema makes a model write them, by provider and tool."""
