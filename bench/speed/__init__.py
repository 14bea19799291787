"""How long `toolwright generate` takes, beside datamodel-code-generator's own command and a bare Python."""
