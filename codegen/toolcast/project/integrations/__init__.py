"""Steps of build engines and packaging tools."""
