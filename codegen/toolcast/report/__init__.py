"""What `toolcast report` shows: all tools, what each provider is sent of them, and what that lacks."""
