/* SPDX-License-Identifier: ISC */
/* Whether the guest ran before the stub stopped it for us. */
#ifndef RSP_STATE_H
#define RSP_STATE_H

#include <stdbool.h>

struct rsp_link;

/*
 * To be asked once, after the first answer. Sets *paused when the guest is
 * known to have stood still before the connection was made. Returns -1 when
 * the conversation has failed.
 */
int rsp_state(struct rsp_link *l, bool *paused);

/*
 * The same for one who was not there from the beginning: the packet to send
 * after RSP_MARK, whether all of the answer has come, and what it says. `came`
 * is a string of bytes of the protocol.
 */
#define RSP_STATE_QUESTION "$qRcmd,696e666f2076657273696f6e#e8"
bool rsp_state_answered(const char *came);
bool rsp_state_ran(const char *came);

/* Whether the answer to RSP_RELEASE has come. */
bool rsp_state_released(const char *came);

#endif
