"""One small agent for each provider's client. They share their tools: `toolbox`."""
