/* SPDX-License-Identifier: ISC */
/* Knows call sites, of DWARF 5 and as GNU had them before. */

#include <dwarf.h>
#include <elfutils/libdw.h>

#include "base/xalloc.h"
#include "elf/dwarf.h"

/* Where a function begins; of several parts the first is its entry. */
static bool
entry_address(Dwarf_Die *die, Dwarf_Addr *addr)
{
	Dwarf_Addr base, end;

	return dwarf_lowpc(die, addr) == 0 ||
	       (dwarf_hasattr(die, DW_AT_ranges) &&
		   dwarf_ranges(die, 0, &base, addr, &end) > 0);
}

static void
take_site(struct dwarf *d, struct dwtails *t, Dwarf_Die *die)
{
	Dwarf_Attribute at;
	Dwarf_Addr ret;

	if (dwarf_formaddr(dwarf_attr(die, DW_AT_call_return_pc, &at), &ret) !=
		0 &&
	    dwarf_lowpc(die, &ret) != 0)
		return;
	t->site = xgrow(t->site, t->n_site + 1, &t->cap_site, sizeof *t->site);
	t->site[t->n_site++] = (struct dwtail_site){ret, die->addr,
	    dwarf_hasattr(die, DW_AT_call_tail_call) ||
		dwarf_hasattr(die, DW_AT_GNU_tail_call)};
	d->items--;
}

void
dwtails_take(
    struct dwarf *d, struct dwunit *u, void *entry, struct Dwarf_CU *cu)
{
	Dwarf_Die die = {.addr = entry, .cu = cu};
	struct dwtails *t = &u->tails;
	Dwarf_Addr addr;

	if (d->items == 0)
		return;
	switch (dwarf_tag(&die)) {
	case DW_TAG_subprogram:
		if (!entry_address(&die, &addr))
			return;
		t->func = xgrow(
		    t->func, t->n_func + 1, &t->cap_func, sizeof *t->func);
		t->func[t->n_func++] =
		    (struct dwtail_func){addr, entry, (uint32_t)t->n_site};
		d->items--;
		return;
	case DW_TAG_call_site:
	case DW_TAG_GNU_call_site:
		if (t->n_func > 0 && t->n_site < UINT32_MAX)
			take_site(d, t, &die);
		return;
	default:
		return;
	}
}

const struct dwtail_func *
dwtails_func(const struct dwtails *t, uint64_t addr)
{
	for (size_t i = 0; i < t->n_func; i++)
		if (t->func[i].addr == addr)
			return &t->func[i];
	return NULL;
}

const struct dwtail_site *
dwtails_site(const struct dwtails *t, uint64_t ret)
{
	for (size_t i = 0; i < t->n_site; i++)
		if (t->site[i].ret == ret)
			return &t->site[i];
	return NULL;
}

const struct dwtail_site *
dwtails_end(const struct dwtails *t, const struct dwtail_func *f)
{
	const size_t next = (size_t)(f - t->func) + 1;

	return t->site + (next < t->n_func ? t->func[next].first : t->n_site);
}

bool
dwtails_target(const struct dwunit *u, const struct dwtail_site *site,
    uint64_t *addr, const char **name)
{
	Dwarf_Die die = {.addr = site->entry, .cu = u->cu}, target;
	Dwarf_Attribute at;
	Dwarf_Addr a;

	if (dwarf_attr(&die, DW_AT_call_origin, &at) == NULL &&
	    dwarf_attr(&die, DW_AT_abstract_origin, &at) == NULL)
		return false;
	if (dwarf_formref_die(&at, &target) == NULL)
		return false;
	*name = "";
	*addr = 0;
	if (entry_address(&target, &a))
		*addr = a;
	else
		*name = dwindex_name(target.cu, target.addr);
	return *addr != 0 || **name != 0;
}
