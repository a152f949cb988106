// The control socket: messages, descriptors, and every packet that a hostile side can send.
#include "control.h"
#include "facts.h"
#include "lanes.h"
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>

static char body[PHS_CONTROL_BODY_SIZE], received[PHS_CONTROL_BODY_SIZE];

static uint64_t after(int milliseconds) { return phs_now() + (uint64_t)milliseconds * 1000000; }

static int open_descriptors(void) {
    int count = 0;
    DIR *directory = opendir("/proc/self/fd");
    while (readdir(directory) != NULL) count++;
    closedir(directory);
    return count;
}

struct pair {
    int ends[2];
    phs_control left, right;
};
static struct pair made(void) {
    struct pair pair;
    if (phs_control_make(pair.ends) != 0) abort();
    pair.left = (phs_control){pair.ends[0], 0, 0}, pair.right = (phs_control){pair.ends[1], 0, 0};
    return pair;
}
static void drop(struct pair *pair) { close(pair->ends[0]), close(pair->ends[1]); }

struct arrival {
    int error;
    phs_control_head head;
    size_t length, count;
    int descriptors[4];
    phs_failure failure;
};
static struct arrival receive(phs_control *control, size_t most, int milliseconds) {
    struct arrival it = {.length = 1, .count = 99};
    it.error = phs_control_receive(
        control, &it.head, received, &it.length, it.descriptors, most, &it.count, after(milliseconds), &it.failure);
    return it;
}

// A packet as a hostile side may send it.
static void packet(int socket, const void *bytes, size_t length, int descriptor, size_t copies) {
    char ancillary[CMSG_SPACE(253 * sizeof(int))] = {0};
    struct iovec part = {(void *)bytes, length};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (copies > 0) {
        message.msg_control = ancillary, message.msg_controllen = CMSG_SPACE(copies * sizeof(int));
        struct cmsghdr *rights = CMSG_FIRSTHDR(&message);
        rights->cmsg_level = SOL_SOCKET, rights->cmsg_type = SCM_RIGHTS,
        rights->cmsg_len = CMSG_LEN(copies * sizeof(int));
        for (size_t i = 0; i < copies; i++)
            memcpy(CMSG_DATA(rights) + i * sizeof descriptor, &descriptor, sizeof descriptor);
    }
    if (sendmsg(socket, &message, MSG_NOSIGNAL) < 0) abort();
}

static void violation(const char *what, const char *step, const void *bytes, size_t length, size_t descriptors) {
    struct pair pair = made();
    int before = open_descriptors();
    packet(pair.ends[0], bytes, length, pair.ends[0], descriptors);
    struct arrival it = receive(&pair.right, 2, 1000);
    fact(
        it.error == EPROTO && strcmp(it.failure.step, step) == 0 && it.count == 0, "%s: %s (%s)", what, step,
        it.failure.step);
    fact(open_descriptors() == before, "%s: no descriptor stays open", what);
    drop(&pair);
}

static void *read_later(void *control) {
    usleep(50000);
    for (int i = 0; i < 200; i++)
        if (receive(control, 0, 2000).error != 0) return (void *)1;
    return NULL;
}

int main(void) {
    for (size_t i = 0; i < sizeof body; i++) body[i] = (char)(i * 31 >> 3);
    struct pair pair = made();
    static const size_t lengths[] = {0, 1, 1000, PHS_CONTROL_BODY_SIZE};
    for (int i = 0; i < 4; i++) {
        int error = phs_control_send(&pair.left, (uint16_t)(7 + i), 3, body, lengths[i], NULL, 0, after(1000), NULL);
        struct arrival it = receive(&pair.right, 0, 1000);
        fact(
            error == 0 && it.error == 0 && it.head.kind == 7 + i && it.head.flags == 3 &&
                it.head.sequence == (uint32_t)i + 1 && it.length == lengths[i] &&
                memcmp(body, received, lengths[i]) == 0,
            "a body of %zu bytes", lengths[i]);
    }
    phs_failure failure = {0};
    fact(
        phs_control_send(&pair.left, 1, 0, body, PHS_CONTROL_BODY_SIZE + 1, NULL, 0, 0, &failure) == EMSGSIZE,
        "a longer body is not sent");

    int null = open("/dev/null", O_RDONLY), sent[] = {null, pair.ends[0]};
    struct stat one, other;
    phs_control_send(&pair.left, 1, 0, "x", 1, sent, 2, 0, NULL);
    struct arrival it = receive(&pair.right, 2, 1000);
    fact(
        it.error == 0 && it.count == 2 && fstat(null, &one) == 0 && fstat(it.descriptors[0], &other) == 0 &&
            one.st_rdev == other.st_rdev,
        "descriptors arrive in order");
    fact(fcntl(it.descriptors[0], F_GETFD) == FD_CLOEXEC, "and close on exec");
    close(it.descriptors[0]), close(it.descriptors[1]);
    it = receive(&pair.right, 2, 30);
    fact(it.error == ETIMEDOUT, "nothing arrives in time");

    phs_control_send(&pair.left, 1, 0, "x", 1, sent, 2, 0, NULL);
    int before = open_descriptors();
    it = receive(&pair.right, 1, 1000);
    fact(
        it.error == EPROTO && strcmp(it.failure.step, "descriptors") == 0 && it.failure.index == 2 &&
            open_descriptors() == before,
        "a surplus descriptor is a violation, and all are closed");
    drop(&pair);

    phs_control_head head = {12, 1, 0, 1};
    violation("a short packet", "length", "abc", 3, 0);
    head.length = 11;
    violation("a length below the packet's", "length", &head, 12, 1);
    head.length = UINT32_MAX;
    violation("a length above the packet's", "length", &head, 12, 1);
    static char large[70000];
    head.length = 70000;
    memcpy(large, &head, sizeof head);
    violation("a packet over 64 KiB", "length", large, sizeof large, 1);
    head.length = 65537;
    memcpy(large, &head, sizeof head);
    violation("a packet of one byte over 64 KiB", "length", large, 65537, 0);
    head.length = 12, head.sequence = 2;
    violation("a message left out", "sequence", &head, 12, 1);
    head.sequence = 0;
    violation("a message twice", "sequence", &head, 12, 0);
    head.sequence = 1;
    violation("253 descriptors", "descriptors", &head, 12, 253);
    violation("an empty packet with descriptors", "length", "", 0, 2);

    // Packets of noise, of which some are right by chance.
    uint64_t state = 88172645463325252u;
    int none = open_descriptors(), right = 0, refused = 0;
    bool known = true;
    pair = made();
    for (int i = 0; i < 50000; i++) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        size_t size = state % 40;
        memset(large, (int)(state >> 20), 64);
        phs_control_head noise = {
            (uint32_t)((state & 64) != 0 ? size : state >> 30), (uint16_t)(state >> 40), 0,
            (uint32_t)(pair.right.received + 1 + ((state & 128) != 0))};
        memcpy(large, &noise, sizeof noise);
        packet(pair.ends[0], large, size, null, (state >> 50) % 5);
        struct arrival noisy = receive(&pair.right, 2, 1000);
        for (size_t k = 0; k < noisy.count; k++) close(noisy.descriptors[k]);
        right += noisy.error == 0, refused += noisy.error == EPROTO;
        known = known && (noisy.error == 0 || noisy.error == EPROTO || noisy.error == EPIPE);
    }
    drop(&pair);
    fact(
        known && right > 100 && refused > 100 && open_descriptors() == none,
        "50,000 packets of noise: %d right, %d refused, nothing stays open", right, refused);

    // A receiver that has no room for the descriptors.
    pair = made();
    struct rlimit files, few;
    getrlimit(RLIMIT_NOFILE, &files);
    phs_control_send(&pair.left, 1, 0, "x", 1, sent, 2, 0, NULL);
    int first = dup(null);
    close(first);
    few = (struct rlimit){(rlim_t)first + 1, files.rlim_max};
    setrlimit(RLIMIT_NOFILE, &few);
    it = receive(&pair.right, 2, 1000);
    setrlimit(RLIMIT_NOFILE, &files);
    fact(it.error == EMFILE && dup(null) == first, "no room for descriptors: %s", strerror(it.error));
    close(first);
    drop(&pair);

    // The other side does not read, reads late, ends.
    pair = made();
    int error = 0, count = 0;
    while (error == 0 && count < 10000)
        count++, error = phs_control_send(&pair.left, 1, 0, body, 60000, NULL, 0, after(50), &failure);
    fact(error == ETIMEDOUT, "a side that does not read holds nobody up (after %d messages)", count);
    drop(&pair);
    pair = made();
    pthread_t reader;
    pthread_create(&reader, NULL, read_later, &pair.right);
    error = 0;
    for (int i = 0; i < 200 && error == 0; i++)
        error = phs_control_send(&pair.left, 1, 0, body, 5000, NULL, 0, 0, &failure);
    void *result;
    pthread_join(reader, &result);
    fact(error == 0 && result == NULL, "200 messages to a side that reads late");
    close(pair.ends[0]);
    it = receive(&pair.right, 0, 1000);
    fact(it.error == EPIPE, "the end of the other side: %s", strerror(it.error));
    error = phs_control_send(&pair.right, 1, 0, "x", 1, NULL, 0, 0, &failure);
    fact(error == EPIPE || error == ECONNRESET, "sending to a side that has ended: %s", strerror(error));
    close(pair.ends[1]);
    return failures != 0;
}
