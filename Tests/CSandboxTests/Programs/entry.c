// An application that starts itself as a worker. Its main() contains nothing for that.
#include "control.h"
#include "facts.h"
#include "worker.h"
#include <poll.h>
#include <sys/socket.h>

static void must_not_run(void) { fact(false, "an exit handler of the application ran in the worker"); }
__attribute__((constructor)) static void application_begins(void) { atexit(must_not_run); }

// The library's part in Swift.
void phs_worker_main(void) {
    phs_control control = {PHS_WORKER_CONTROL, 0, 0};
    char answer = getenv(PHS_WORKER_VARIABLE) == NULL ? 'y' : 'n';
    if (phs_control_send(&control, 1, 0, &answer, 1, NULL, 0, 0, NULL) != 0) _exit(1);
}

static phs_worker_end start(const char *const *environment, int control) {
    const char *const words[] = {"application", "--as-application", NULL};
    phs_worker_plan plan = {
        .program = "/proc/self/exe",
        .arguments = words,
        .environment = environment,
        .descriptors = {0, 1, 2, control, -1, -1},
        .ruleset = -1};
    phs_worker worker;
    phs_failure failure = {0};
    if (!fact(phs_worker_start(&plan, &worker, &failure) == 0, "it starts (%s)", failure.step ? failure.step : ""))
        exit(1);
    struct pollfd ended = {worker.descriptor, POLLIN, 0};
    poll(&ended, 1, 10000);
    phs_worker_end end = phs_worker_reap(worker.descriptor);
    close(worker.descriptor);
    return end;
}

int main(int count, char **words) {
    if (count > 1 && strcmp(words[1], "--as-application") == 0) _exit(getenv(PHS_WORKER_VARIABLE) == NULL ? 77 : 78);
    const char *const as_worker[] = {PHS_WORKER_VARIABLE "=1", NULL}, *const plain[] = {"OTHER=1", NULL};
    int ends[2], stream[2];
    if (phs_control_make(ends) != 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, stream) != 0) return 1;
    phs_worker_end end = start(as_worker, ends[1]);
    fact(end.state == PHS_WORKER_EXITED && end.number == 0, "main() does not run in the worker (%d)", end.number);
    phs_control control = {ends[0], 0, 0};
    phs_control_head head;
    static char body[PHS_CONTROL_BODY_SIZE];
    size_t length = 0, descriptors = 0;
    int error = phs_control_receive(&control, &head, body, &length, NULL, 0, &descriptors, 1, NULL);
    fact(error == 0 && length == 1 && body[0] == 'y', "the worker runs, and its children do not see the variable");
    end = start(plain, ends[1]);
    fact(end.number == 77, "without the variable the application runs (%d)", end.number);
    end = start(as_worker, stream[1]);
    fact(end.number == 77, "with another socket the application runs, without the variable (%d)", end.number);
    end = start(as_worker, -1);
    fact(end.number == 77, "without a socket the application runs (%d)", end.number);
    _exit(failures != 0);
}
