"""Whether every value of one contract is a value of another, decided case by case, with witnesses."""
