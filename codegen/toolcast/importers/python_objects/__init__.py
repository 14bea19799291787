"""Python objects as declarations of tools: functions, classes, and the tools of frameworks."""
