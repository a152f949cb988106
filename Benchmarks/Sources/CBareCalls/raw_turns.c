#define _GNU_SOURCE
#include "raw_turns.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct raw_turns {
    _Atomic uint32_t request, reply;
};

static void sleep_while(_Atomic uint32_t *word, uint32_t value) {
    syscall(SYS_futex, word, FUTEX_WAIT, value, NULL, NULL, 0);
}
static void wake(_Atomic uint32_t *word) { syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0); }

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

raw_turns *raw_turns_make(void) {
    void *memory = mmap(NULL, sizeof(raw_turns), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

void raw_turns_serve(raw_turns *turns) {
    for (uint32_t turn = 1;; turn++) {
        while (atomic_load(&turns->request) != turn) sleep_while(&turns->request, turn - 1);
        atomic_store(&turns->reply, turn);
        wake(&turns->reply);
    }
}

uint64_t raw_turns_take(raw_turns *turns, int count) {
    uint64_t start = now();
    for (int i = 0; i < count; i++) {
        uint32_t turn = atomic_load(&turns->request) + 1;
        atomic_store(&turns->request, turn);
        wake(&turns->request);
        while (atomic_load(&turns->reply) != turn) sleep_while(&turns->reply, turn - 1);
    }
    return now() - start;
}

uint64_t raw_copies(void *to, void *middle, const void *from, size_t size) {
    uint64_t start = now();
    memcpy(middle, from, size);
    __asm__ volatile("" : : "r"(middle) : "memory");
    memcpy(to, middle, size);
    __asm__ volatile("" : : "r"(to) : "memory");
    return now() - start;
}

int32_t raw_fork(void) {
    pid_t child = fork();
    if (child == 0) prctl(PR_SET_PDEATHSIG, SIGKILL);
    return child;
}

void raw_end(int32_t child) {
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

void raw_bind(int index) {
    cpu_set_t all, one;
    if (sched_getaffinity(0, sizeof all, &all) != 0) return;
    CPU_ZERO(&one);
    for (int i = 0; i < CPU_SETSIZE && index >= 0; i++) {
        if (!CPU_ISSET(i, &all)) continue;
        CPU_ZERO(&one);
        CPU_SET(i, &one);
        index -= 1;
    }
    sched_setaffinity(0, sizeof one, &one);
}

uint64_t raw_wake(void) {
    enum { TURNS = 500 };
    raw_turns *turns = raw_turns_make();
    uint64_t *time = mmap(NULL, sizeof *time, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (turns == NULL || time == MAP_FAILED) return 0;
    int32_t server = raw_fork();
    if (server == 0) {
        raw_bind(1);
        raw_turns_serve(turns);
    }
    int32_t asker = raw_fork();
    if (asker == 0) {
        raw_bind(0);
        *time = raw_turns_take(turns, TURNS);
        _exit(0);
    }
    waitpid(asker, NULL, 0);
    raw_end(server);
    uint64_t wake = *time / TURNS / 2;
    munmap(time, sizeof *time);
    munmap(turns, sizeof *turns);
    return wake;
}

// Starts a program, and waits until it has written something. Returns its number, 0 for a failure.
static pid_t start(const char *program, const char *argument) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return 0;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    char *const words[] = {(char *)program, (char *)argument, NULL};
    pid_t child;
    int error = posix_spawn(&child, program, &actions, NULL, words, environ);
    close(ends[1]);
    char byte;
    bool has_begun = error == 0 && read(ends[0], &byte, 1) == 1;
    if (error == 0 && !has_begun) waitpid(child, NULL, 0);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[0]);
    return has_begun ? child : 0;
}

uint64_t raw_start(const char *program) {
    uint64_t begin = now();
    pid_t child = start(program, NULL);
    uint64_t time = now() - begin;
    if (child == 0) return 0;
    waitpid(child, NULL, 0);
    return time;
}

uint64_t raw_death(const char *program) {
    pid_t child = start(program, "wait");
    if (child == 0) return 0;
    struct pollfd ended = {(int)syscall(SYS_pidfd_open, child, 0), POLLIN, 0};
    uint64_t begin = now();
    kill(child, SIGKILL);
    poll(&ended, 1, -1);
    uint64_t time = now() - begin;
    close(ended.fd);
    waitpid(child, NULL, 0);
    return time;
}
