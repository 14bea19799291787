"""How long `toolcast generate` takes, beside datamodel-code-generator's own command and a bare Python."""
