"""Further surfaces of tools: each target is a folder of templates over one model of a tool."""
