"""Generated JavaScript beside quicktype, json-schema-to-zod and `z.fromJSONSchema`, on the same cases."""
