"""HTTP requests of tools whose specs say where each parameter goes (`http`), as OpenAPI describes them.

Needs httpx, which is imported at the first request: `pip install 'toolcast[http]'`.
"""
