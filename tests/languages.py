"""Profiles by the form of what they send: tool objects in JSON, or declarations in a programming language."""

from toolcast.providers import available, load_profile

LANGUAGES = tuple(id for id in available() if load_profile(id).declaration is not None)
SENT_AS_JSON = tuple(id for id in available() if id not in LANGUAGES)
