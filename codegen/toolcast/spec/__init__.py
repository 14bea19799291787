"""Read specs: files to `ToolSpec` with positions. Needs msgspec, and PyYAML for YAML files."""
