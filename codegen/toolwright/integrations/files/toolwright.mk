# Generated tools as targets. In a Makefile:
#
#     include toolwright.mk
#     test: toolwright
#
# toolwright notices within milliseconds that nothing changed, so both are always asked. To run it from an
# environment that is not active:  make toolwright TOOLWRIGHT=.venv/bin/toolwright

TOOLWRIGHT ?= toolwright

.PHONY: toolwright toolwright-check

toolwright:
	$(TOOLWRIGHT) generate

toolwright-check:
	$(TOOLWRIGHT) generate --check
