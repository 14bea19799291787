"""Operations of OpenAPI documents (3.0, 3.1, 3.2) as declarations of tools.

docs/reference/openapi.md lists the libraries that were looked at: none keeps schemas as written, knows the
position of each part, and imports the operations of a document of which one part is wrong.
"""
