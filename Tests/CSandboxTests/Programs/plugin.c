// The plug-in that journal.c loads: each function ends the process in another way.
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// Volatile, so that the compiler keeps what ends the process.
static int *volatile nowhere;
static void (*volatile no_function)(void);
static volatile int zero;

void null_pointer(void) { *nowhere = 1; }
void trap(void) { __builtin_trap(); }
void breakpoint(void) {
    raise(SIGTRAP);
    zero = 0; // here and below: so that the call before is no tail call
}
void aborts(void) { abort(); }
void in_libc(void) { zero = (int)strlen((const char *)nowhere); }
void call_of_null(void) {
    no_function();
    zero = 0;
}
void divide(void) {
    volatile int number = 100;
    zero = number / zero;
}
void bus(void) {
    char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, memfd_create("empty", 0), 0);
    *(volatile char *)page = 1;
}
__attribute__((noinline)) int stack_overflow_(int depth) {
    volatile char frame[1024];
    frame[depth & 1023] = (char)depth;
    if (zero != 0) return 0;  // never: it only keeps the compiler from objecting
    return stack_overflow_(depth + 1) + frame[depth & 511];
}
void stack_overflow(void) { zero = stack_overflow_(0); }
static void *crash(void *unused) { return null_pointer(), unused; }
void other_thread(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, crash, NULL);
    pthread_join(thread, NULL);
}
void exits(void) { exit(0); }
void killed(void) { raise(SIGKILL); }
void calls_back(void (*function)(void)) {
    function();
    zero = 0;
}
void returns(void) {}
__attribute__((constructor)) static void load(void) {
    if (getenv("CRASH_IN_CONSTRUCTOR") != NULL) null_pointer();
}
