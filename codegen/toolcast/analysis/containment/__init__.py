"""Containment of one contract in another, decided case by case, with witnesses."""
