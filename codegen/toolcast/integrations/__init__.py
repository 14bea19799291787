"""toolcast as a step of build engines and packaging tools."""
