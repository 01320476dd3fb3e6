# SPDX-License-Identifier: ISC
# What a packager may want to change; every variable can be given on the
# command line of make as well, those with ?= and CC also in the environment.

VERSION = 0.1.0

PREFIX ?= /usr/local
BINDIR = $(PREFIX)/bin
DATADIR = $(PREFIX)/share/kst
PLUGINDIR = $(PREFIX)/lib/kst
MANDIR = $(PREFIX)/share/man
COMPDIR = $(PREFIX)/share/bash-completion/completions
ZSHDIR = $(PREFIX)/share/zsh/vendor-completions
FISHDIR = $(PREFIX)/share/fish/vendor_completions.d
DOCDIR = $(PREFIX)/share/doc/kst
DESTDIR ?=

ifeq ($(origin CC),default)
CC = cc
endif
CFLAGS ?= -O2 -g
CPPFLAGS ?=
LDFLAGS ?=
# Hardening: what of HARDEN the compiler has, and the linker's part; `make HARDEN=
# HARDEN_LINK=` leaves both out.
HARDEN = -fstack-protector-strong -fstack-clash-protection \
	-fcf-protection -mbranch-protection=standard
HARDEN_LINK = -Wl,-z,relro -Wl,-z,now
PKG_CONFIG ?= pkg-config
