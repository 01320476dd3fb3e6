/* SPDX-License-Identifier: ISC */
/* The list of backends: a line for each. */
#include "guest/backend.h"

#include <stddef.h>
#include <string.h>

static const struct backend *const backends[] = {
    &backend_rsp,
    &backend_gdb,
    &backend_qmp,
};

enum { N_BACKENDS = sizeof backends / sizeof backends[0] };

const struct backend *
backend_find(const char *name)
{
	for (size_t i = 0; i < N_BACKENDS; i++)
		if (strcmp(backends[i]->name, name) == 0)
			return backends[i];
	return NULL;
}
