/* SPDX-License-Identifier: ISC */
#include "rights/pass.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

/* Room for one file, aligned. */
union control {
	char room[CMSG_SPACE(sizeof(int))];
	struct cmsghdr align;
};

bool
pass_send(int to, const void *bytes, size_t n, int file)
{
	union control control = {{0}};
	struct iovec text = {(void *)(uintptr_t)bytes, n};
	struct msghdr m = {.msg_iov = &text, .msg_iovlen = 1};
	struct cmsghdr *c;

	if (file >= 0) {
		m.msg_control = control.room;
		m.msg_controllen = sizeof control.room;
		c = CMSG_FIRSTHDR(&m);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof file);
		memcpy(CMSG_DATA(c), &file, sizeof file);
	}
	return sendmsg(to, &m, 0) == (ssize_t)n;
}

bool
pass_receive(int from, void *bytes, size_t n, int *file)
{
	union control control;
	struct iovec text = {bytes, n};
	struct msghdr m = {.msg_iov = &text,
	    .msg_iovlen = 1,
	    .msg_control = control.room,
	    .msg_controllen = sizeof control.room};
	struct cmsghdr *c;
	ssize_t got;

	*file = -1;
	do
		got = recvmsg(from, &m, MSG_CMSG_CLOEXEC);
	while (got < 0 && errno == EINTR);
	c = CMSG_FIRSTHDR(&m);
	if (got > 0 && c != NULL && c->cmsg_type == SCM_RIGHTS)
		memcpy(file, CMSG_DATA(c), sizeof *file);
	return got == (ssize_t)n;
}
