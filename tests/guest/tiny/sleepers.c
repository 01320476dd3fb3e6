/* SPDX-License-Identifier: ISC */
/*
 * Threads that wait, each below functions of its own, in a list with a head, in
 * a chain that ends at 0, in a table of pointers with holes, and in queues that
 * tell their state; the first thread runs. One chain is
 * a ring at first.
 */
#include "start.h"
#include "turn.h"

struct node {
	struct node *prev, *next;
};

/* What turn() leaves on a stack. */
struct frame {
#ifdef __i386__
	unsigned long edi, esi, ebx, fp, pc;
#elif defined __aarch64__
	unsigned long fp, pc, others[10];
#else
	unsigned long pc, fp, others[12];
#endif
};

struct mutex {
	unsigned locked, owner;
};

typedef struct thread {
	unsigned magic;
	struct node in_list, in_queue, in_woken;
	struct thread *following, *self;
	union {
		void *sp;
		struct frame *frame;
	};
	struct mutex *mutex; /* of which one waits */
	unsigned short number;
	unsigned char state;
	char name[12];
	const char *label; /* of some */
} thread_t;

enum state { RUNS = 1, SLEEPS = 4, READY = 9 };
enum { SPACE = 4096, LATE = 300000 };

/* One of those that were woken, and one for each state. */
struct queue {
	unsigned long n;
	struct node ends;
};

struct node all = {&all, &all};
struct mutex mutex = {1, 102};
struct queue queues[3], woken;
thread_t *first, *current, *table[8], threads[4];
thread_t ring = {.following = &ring}, *volatile late = &ring;
unsigned table_len;
static unsigned char stacks[4][SPACE] __attribute__((aligned(16)));
volatile unsigned long turns;

static FRAME void
go_to(thread_t *to)
{
	thread_t *from = current;

	current = to;
	turn(&from->sp, to->sp);
	turns++;
}

static FRAME void
sleep_on(enum state state)
{
	current->state = (unsigned char)state;
	go_to(&threads[0]);
	turns++;
}

#define SLEEPER(does, is, state)         \
	static FRAME void does(void)     \
	{                                \
		for (;;) {               \
			sleep_on(state); \
			turns++;         \
		}                        \
	}                                \
	static FRAME void is(void)       \
	{                                \
		does();                  \
		turns++;                 \
	}
SLEEPER(read_disk, reader, SLEEPS)
SLEEPER(write_log, writer, SLEEPS)
SLEEPER(yield, helper, READY)

static void
put(struct node *in, struct node *node)
{
	*node = (struct node){in->prev, in};
	in->prev->next = node;
	in->prev = node;
}

/* The writer waits, and was woken. */
static void
fill_queues(void)
{
	for (int i = 0; i < 3; i++)
		queues[i].ends =
		    (struct node){&queues[i].ends, &queues[i].ends};
	woken.ends = (struct node){&woken.ends, &woken.ends};
	put(&woken.ends, &threads[2].in_woken);
	put(&queues[0].ends, &threads[0].in_queue);
	put(&queues[2].ends, &threads[1].in_queue);
	put(&queues[2].ends, &threads[2].in_queue);
	put(&queues[0].ends, &threads[3].in_queue);
}

static FRAME void
add(unsigned n, const char *name, void (*does)(void))
{
	void **sp = (void **)(stacks[n] + SPACE) - SAVED - 2;
	thread_t *t = &threads[n];

	sp[AT] = (void *)does;
	t->sp = sp;
	t->self = t;
	t->number = (unsigned short)(100 + n);
	for (int i = 0; name[i] != 0; i++)
		t->name[i] = name[i];
	t->label = n == 2 ? 0 : name;
	put(&all, &t->in_list);
	t->following = first;
	first = t;
	table[2 * n] = t;
	table_len = 2 * n + 1;
}

FRAME void
busy(void)
{
	for (;;)
		if (++turns == LATE)
			late = first;
}

FRAME void
top(void)
{
	add(0, "main", top);
	threads[0].state = RUNS;
	current = &threads[0];
	add(1, "reader", reader);
	add(2, "writer <w>", writer);
	add(3, "helper", helper);
	fill_queues();
	threads[1].mutex = threads[3].mutex = &mutex;
	for (int n = 1; n <= 3; n++)
		go_to(&threads[n]);
	busy();
}
