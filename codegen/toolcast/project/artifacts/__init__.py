"""Compiled units that machines share: a folder, or a server that speaks the HTTP cache protocol of Bazel.

An *entry* (`ac/<key>`) is found by the spec's text and the build's setting; it names the *bundles* that were
made from it, one for each state of the shared types it refers to. A bundle (`cas/<digest>`) is found by the
digest of its own bytes. Nothing that comes from a cache is used before it was checked.
"""
