# Generated tools as targets. In a Makefile:
#
#     include toolcast.mk
#     test: toolcast
#
# toolcast notices within milliseconds that nothing changed, so both are always asked. To run it from an
# environment that is not active:  make toolcast TOOLCAST=.venv/bin/toolcast

TOOLCAST ?= toolcast

.PHONY: toolcast toolcast-check

toolcast:
	$(TOOLCAST) generate

toolcast-check:
	$(TOOLCAST) generate --check
