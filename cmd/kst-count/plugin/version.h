/* SPDX-License-Identifier: ISC */
/* Private to the plugin: how the QEMU that loads it calls. */
#ifndef VERSION_H
#define VERSION_H

#include "plugin/api.h"

/* What is done, whichever version's callbacks call it. */
struct version_calls {
	void (*translate)(struct qemu_plugin_tb *tb);
	void (*add_vcpu)(unsigned vcpu);
	void (*finish)(void);
};

void version_register(
    qemu_plugin_id_t id, int version, const struct version_calls *c);

#endif
