/* SPDX-License-Identifier: ISC */
/* Processes, and the programs and libraries that stacks lead through. */
#include "native/programs.h"

#include "guest/images.h"
#include "linux/modules.h"
#include "linux/tasks.h"
#include "native/reads.h"
#include "native/sampler.h"

/*
 * Looks which process of Linux a stopped CPU is in, once, as soon as it is
 * known where the kernel is: elsewhere there may be devices.
 */
static bool
enter(struct sampler *s, struct vcpu *c)
{
	if (c->runs.entered || s->guest.unsure)
		return false;
	c->runs.entered = true;
	return tasks_enter(
	    s->t->tasks, (size_t)(c - s->shot.cpu), c, &s->guest.reader);
}

bool
programs_find(void *arg, uint64_t addr)
{
	struct sampler *s = arg;
	struct vcpu *c = s->shot.now;
	struct mapping *m = NULL;
	struct program *p;

	if (s->guest.modules != NULL && !s->guest.unsure &&
	    addr >= s->guest.kernel_base &&
	    modules_find(s->guest.modules, addr))
		return true;
	if (c == NULL || c->runs.n_program == VCPU_PROGRAMS ||
	    !s->guest.programs)
		return false;
	p = &c->runs.program[c->runs.n_program];
	if (s->t->tasks != NULL) {
		enter(s, c);
		m = tasks_mapping(s->t->tasks, c, addr);
	}
	if (m != NULL && m->program.name != NULL) {
		*p = m->program;
	} else if (!images_find(s->guest.images, m ? m->path : NULL, addr, p)) {
		return false;
	} else if (m != NULL) {
		m->program = *p;
	}
	images_use(p, true);
	c->runs.n_program++;
	return true;
}

bool
programs_thread(struct sampler *s, uint64_t task, struct vcpu *c)
{
	uint64_t tables;

	c->runs.n_program = 0;
	if (!s->guest.programs || s->t->tasks == NULL ||
	    !tasks_thread(s->t->tasks, task, c, &s->guest.reader, &tables) ||
	    !reads_switch(s, c, tables))
		return false;
	c->runs.entered = true;
	snap_clear(&c->snap);
	return true;
}

/* What an OS file tells of the process that a CPU is in. */
static void
find_process(struct sampler *s, struct vcpu *c)
{
	const struct program *p = procs_find(s->guest.procs, c);

	if (p == NULL)
		return;
	c->runs.process = p->name != NULL ? p->name : "<unknown>";
	if (p->name == NULL)
		return;
	c->runs.program[c->runs.n_program++] = *p;
	images_use(p, true);
}

void
programs_process(struct sampler *s, struct vcpu *c)
{
	if (!c->user)
		return;
	if (s->guest.procs != NULL)
		find_process(s, c);
	if (s->t->tasks != NULL && enter(s, c))
		c->runs.process = c->runs.comm;
}
