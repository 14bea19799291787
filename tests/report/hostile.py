"""Texts that would be markup, script or a trick if a report let them."""

TEXTS = (
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<!--<script>",
    "]]>\u2028\u2029",
    "\u202etxt.exe\u2066",
    "\u200b\U000e0041",
    "javascript:alert(1)",
    "[a](javascript:alert(1)) ![b](https://example.org/x.png)",
    "| cell | `code` |\n\n# Heading\n<details open>",
    "`` ` ``` ```` <b>",
    "&lt;script&gt; &amp;",
    "{{ 7 * 7 }} {% raw %}",
    "https://example.org www.example.org @someone #1",
)
