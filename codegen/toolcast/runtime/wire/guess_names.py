"""What guesses are called."""

from typing import Literal, get_args

Name = Literal[
    "number", "boolean", "null-text", "empty-string", "json-text", "single-item", "fence", "bracket"
]
NAMES: tuple[Name, ...] = get_args(Name)
"""In the order in which they are tried.

* `number`: `"5"` is 5. `boolean`: `"true"` is true.
* `null-text`: `"null"` is null, or an optional property left out.
* `empty-string`: `""` is an optional property left out.
* `json-text`: a string that holds a JSON object or array is that.
* `single-item`: a string, number or boolean is an array of it alone.
* `fence`: arguments between lines of ``` are what stands there.
* `bracket`: arguments whose text lacks exactly one bracket, brace or quote at its end.
"""
