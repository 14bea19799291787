"""Providers as data: one TOML file each, and what reads and checks it.

`dialect` has what schemas may say, `request_limits` what one request may hold, `envelope` the tool object
around a schema; `profile` puts them together. `load_profiles` loads files and checks them.
"""
