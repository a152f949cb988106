#pragma GCC visibility push(protected)
#include "control.h"
#include "lanes.h"
#pragma GCC visibility pop

#include "internal.h"
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

_Static_assert(sizeof(phs_control_head) == PHS_CONTROL_HEAD_SIZE, "the head has no padding");

static const char layer[] = "control";

int phs_control_make(int ends[2]) {
    return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0 ? 0 : errno;
}

// Waits until the socket is ready. Returns 0, ETIMEDOUT or another error number.
static int wait_until(int descriptor, short event, uint64_t deadline) {
    for (;;) {
        struct timespec left, *limit = NULL;
        if (deadline != 0) {
            uint64_t now = phs_now();
            if (now >= deadline) return ETIMEDOUT;
            left = (struct timespec){(time_t)((deadline - now) / 1000000000u), (long)((deadline - now) % 1000000000u)};
            limit = &left;
        }
        struct pollfd ready = {descriptor, event, 0};
        int count = ppoll(&ready, 1, limit, NULL);
        if (count > 0) return 0;
        if (count < 0 && errno != EINTR) return errno;
    }
}

int phs_control_send(
    phs_control *control, uint16_t kind, uint16_t flags, const void *body, size_t length, const int *descriptors,
    size_t descriptor_count, uint64_t deadline, phs_failure *failure) {
    if (length > PHS_CONTROL_BODY_SIZE || descriptor_count > PHS_CONTROL_DESCRIPTORS)
        return fail(failure, EMSGSIZE, layer, length > PHS_CONTROL_BODY_SIZE ? "length" : "descriptors", 0);
    phs_control_head head = {(uint32_t)length + PHS_CONTROL_HEAD_SIZE, kind, flags, control->sent + 1};
    struct iovec parts[] = {{&head, sizeof head}, {(void *)body, length}};
    union {
        struct cmsghdr aligned;
        char bytes[CMSG_SPACE(PHS_CONTROL_DESCRIPTORS * sizeof(int))];
    } ancillary;
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
    if (descriptor_count > 0) {
        memset(&ancillary, 0, sizeof ancillary);
        message.msg_control = &ancillary;
        message.msg_controllen = CMSG_SPACE(descriptor_count * sizeof(int));
        struct cmsghdr *rights = CMSG_FIRSTHDR(&message);
        rights->cmsg_level = SOL_SOCKET;
        rights->cmsg_type = SCM_RIGHTS;
        rights->cmsg_len = CMSG_LEN(descriptor_count * sizeof(int));
        memcpy(CMSG_DATA(rights), descriptors, descriptor_count * sizeof(int));
    }
    while (sendmsg(control->descriptor, &message, MSG_NOSIGNAL | MSG_DONTWAIT) < 0) {
        if (errno == EINTR) continue;
        if (errno != EAGAIN) return fail(failure, errno, layer, "sendmsg", 0);
        int error = wait_until(control->descriptor, POLLOUT, deadline);
        if (error != 0) return fail(failure, error, layer, "sendmsg", 0);
    }
    control->sent += 1;
    return 0;
}

// Takes the descriptors out of the control messages. Closes those for which the array has no room. Returns how many
// arrived.
static size_t take_descriptors(struct msghdr *message, int *descriptors, size_t most) {
    size_t arrived = 0;
    for (struct cmsghdr *part = CMSG_FIRSTHDR(message); part != NULL; part = CMSG_NXTHDR(message, part)) {
        if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
        size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t i = 0; i < count; i++) {
            int descriptor;
            memcpy(&descriptor, CMSG_DATA(part) + i * sizeof descriptor, sizeof descriptor);
            if (arrived < most)
                descriptors[arrived] = descriptor;
            else
                close(descriptor);
            arrived += 1;
        }
    }
    return arrived;
}

int phs_control_receive(
    phs_control *control, phs_control_head *head, void *body, size_t *length, int *descriptors, size_t most,
    size_t *descriptor_count, uint64_t deadline, phs_failure *failure) {
    // Room for one byte more than allowed, and for all descriptors that can arrive: an excess must be seen, and closed.
    char surplus;
    union {
        struct cmsghdr aligned;
        char bytes[CMSG_SPACE(PHS_CONTROL_DESCRIPTORS * sizeof(int))];
    } ancillary;
    struct iovec parts[] = {{head, sizeof *head}, {body, PHS_CONTROL_BODY_SIZE}, {&surplus, 1}};
    struct msghdr message;
    ssize_t size;
    for (;;) {
        message = (struct msghdr){
            .msg_iov = parts, .msg_iovlen = 3, .msg_control = &ancillary, .msg_controllen = sizeof ancillary};
        size = recvmsg(control->descriptor, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
        if (size >= 0) break;
        if (errno == EINTR) continue;
        if (errno == ECONNRESET) return fail(failure, EPIPE, layer, "recvmsg", 0);
        if (errno != EAGAIN) return fail(failure, errno, layer, "recvmsg", 0);
        int error = wait_until(control->descriptor, POLLIN, deadline);
        if (error != 0) return fail(failure, error, layer, "recvmsg", 0);
    }
    size_t arrived = take_descriptors(&message, descriptors, most), kept = arrived < most ? arrived : most;
    *descriptor_count = 0;
    int error = EPROTO;
    bool is_numbered = size < PHS_CONTROL_HEAD_SIZE || head->kind != PHS_CONTROL_CRASHED;
    const char *step = NULL;
    size_t index = 0;
    if (size == 0 && arrived == 0)
        error = EPIPE, step = "recvmsg";
    else if ((message.msg_flags & MSG_CTRUNC) != 0 && arrived < PHS_CONTROL_DESCRIPTORS)
        error = EMFILE, step = "recvmsg";
    else if (size < PHS_CONTROL_HEAD_SIZE || size > PHS_CONTROL_SIZE || head->length != (size_t)size)
        step = "length";
    else if (head->sequence != (is_numbered ? control->received + 1 : PHS_CONTROL_UNNUMBERED))
        step = "sequence";
    else if (arrived > most)
        step = "descriptors", index = arrived;
    if (step != NULL) {
        for (size_t i = 0; i < kept; i++) close(descriptors[i]);
        return fail(failure, error, layer, step, index);
    }
    if (is_numbered) control->received += 1;
    *length = (size_t)size - PHS_CONTROL_HEAD_SIZE;
    *descriptor_count = kept;
    return 0;
}
