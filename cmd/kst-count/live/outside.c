/* SPDX-License-Identifier: ISC */
/* QEMU's options whose work ends by the host's clock, after qemu(1). */
#include <string.h>

#include "live/live.h"

/* Of an option; `begin` is how its value has to begin, `not` how it has not. */
static const struct row {
	const char *option, *begin, *not, *what;
} rows[] = {{"drive", "", "if=pflash", "a disk"},
    {"blockdev", "", NULL, "a disk"}, {"hda", "", NULL, "a disk"},
    {"hdb", "", NULL, "a disk"}, {"hdc", "", NULL, "a disk"},
    {"hdd", "", NULL, "a disk"}, {"cdrom", "", NULL, "a disk"},
    {"sd", "", NULL, "a disk"}, {"mtdblock", "", NULL, "a disk"},
    {"fda", "", NULL, "a disk"}, {"fdb", "", NULL, "a disk"},
    {"netdev", "", NULL, "a network"}, {"nic", "", "none", "a network"},
    {"net", "", "none", "a network"},
    {"virtfs", "", NULL, "a folder of the host"},
    {"fsdev", "", NULL, "a folder of the host"},
    {"object", "rng-random", NULL, "the host's random numbers"},
    {"object", "rng-egd", NULL, "the host's random numbers"},
    {"device", "vfio-", NULL, "a device of the host"},
    {"device", "vhost-", NULL, "a device of the host"},
    {"device", "usb-host", NULL, "a device of the host"}};

/* Takes the next word off the text; NULL: there is none that ends. */
static const char *
next(const char **text, size_t *n)
{
	const char *word = *text, *end = *n ? memchr(word, 0, *n) : NULL;

	if (end == NULL)
		return NULL;
	*n -= (size_t)(end + 1 - word);
	*text = end + 1;
	return word;
}

/* The option's name if the word is one, `-drive` or `--drive`; or NULL. */
static const char *
option_of(const char *word)
{
	if (word == NULL || *word != '-')
		return NULL;
	return word + 1 + (word[1] == '-');
}

static bool
begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* Whether one of the value's parts, between commas, begins so. */
static bool
has(const char *value, const char *part)
{
	const char *p = value;

	while (p && !begins(p, part))
		p = (p = strchr(p, ',')) ? p + 1 : NULL;
	return p != NULL;
}

static const char *
what_of(const char *option, const char *value)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (strcmp(rows[i].option, option) == 0 &&
		    begins(value, rows[i].begin) &&
		    (rows[i].not == NULL || !has(value, rows[i].not )))
			return rows[i].what;
	return NULL;
}

bool
live_is_kvm(const char *args, size_t n)
{
	static const char *const words[] = {"-enable-kvm", "--enable-kvm",
	    "kvm", "accel=kvm", "accel=kvm:tcg", "kvm:tcg"};
	const char *word;
	bool found = false;

	while ((word = next(&args, &n)) && !found)
		for (size_t i = 0; i < sizeof words / sizeof *words; i++)
			found |= strcmp(word, words[i]) == 0 ||
				 (i > 2 && strstr(word, words[i]));
	return found;
}

bool
live_replays(const char *args, size_t n)
{
	const char *option, *value = next(&args, &n);
	bool replays = false;

	while (value) {
		option = option_of(value);
		value = next(&args, &n);
		if (option && value && strcmp(option, "icount") == 0)
			replays |= has(value, "rr=replay");
	}
	return replays;
}

/* The type in the value of -M: `pc,usb=on` or `usb=on,type=pc`. */
static void
take_machine(const char *value, char *to, size_t size)
{
	const char *p = value;
	size_t n;

	while (p && !begins(p, "type="))
		p = (p = strchr(p, ',')) ? p + 1 : NULL;
	p = p ? p + strlen("type=") : value;
	n = strcspn(p, ",=");
	if (p[n] == '=' || n >= size)
		return; /* only other properties */
	memcpy(to, p, n);
	to[n] = 0;
}

bool
live_default_devices(const char *args, size_t n, char *machine, size_t size)
{
	static const char *const words[] = {
	    "nodefaults", "nic", "net", "netdev"};
	const char *option, *value = next(&args, &n);
	bool free = value != NULL;

	*machine = 0;
	while (value) {
		option = option_of(value);
		value = next(&args, &n);
		for (size_t i = 0; option && i < sizeof words / sizeof *words;
		     i++)
			free &= strcmp(option, words[i]) != 0;
		if (option && value &&
		    (strcmp(option, "M") == 0 ||
			strcmp(option, "machine") == 0))
			take_machine(value, machine, size);
	}
	return free;
}

struct outside
live_outside(const char *args, size_t n, bool card)
{
	struct outside found = {0};
	bool clock = false;
	const char *all = args, *option, *value;
	const size_t n_all = n;

	value = next(&args, &n);
	while (value) {
		option = option_of(value);
		value = next(&args, &n);
		if (option == NULL || value == NULL)
			continue;
		/* of several, the last one holds */
		if (strcmp(option, "rtc") == 0)
			clock = strcmp(value, LIVE_RTC) != 0;
		else if (found.what == NULL)
			found =
			    (struct outside){option, what_of(option, value)};
	}
	if (found.what == NULL && clock)
		found = (struct outside){"rtc", "the clock"};
	if (found.what == NULL && card)
		found = (struct outside){NULL, "a network"};
	return live_replays(all, n_all) ? (struct outside){0} : found;
}
