/* A library for LD_PRELOAD that fails a chosen call to the file system, or kills the process there.

   It counts the calls that change something below one folder, over all processes that share the file of its state:

     open     opening for writing, creating a folder
     write    write, pwrite, writev, ftruncate
     fsync    fsync, fdatasync
     rename   rename, link

   The environment says what happens (tests/support/failing_calls.py sets it):

     FAILING_CALLS_BELOW    the folder, an absolute path without links
     FAILING_CALLS_STATE    a file of two 64-bit integers: calls so far, and calls that failed
     FAILING_CALLS_KINDS    the names above that count, separated by commas
     FAILING_CALLS_NTH      which call fails, counted from 1; 0 for none, so that calls are only counted
     FAILING_CALLS_ERROR    the number of the error, or 0 to kill the process with SIGKILL
     FAILING_CALLS_LASTING  1 if all calls after it fail as well, as on a full disk

   A write that is killed, or is the first to meet a full disk, leaves half of its bytes in the file. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static const char *below, *kinds;
static int64_t nth;
static int error_number, lasting;
static int64_t *state;

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

/* Read the settings; a process that is forked from one without them calls it again. */
__attribute__((constructor)) void begin_to_fail(void) {
    const char *file = getenv("FAILING_CALLS_STATE");
    if (!file) return;
    kinds = getenv("FAILING_CALLS_KINDS");
    nth = atoll(getenv("FAILING_CALLS_NTH"));
    error_number = atoi(getenv("FAILING_CALLS_ERROR"));
    lasting = atoi(getenv("FAILING_CALLS_LASTING"));
    int descriptor = NEXT(open)(file, O_RDWR | O_CLOEXEC);
    if (descriptor < 0) return;
    void *mapped = mmap(NULL, 2 * sizeof *state, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    close(descriptor);
    if (mapped == MAP_FAILED) return;
    state = mapped;
    below = getenv("FAILING_CALLS_BELOW");
}

static int is_below(const char *path) {
    size_t length = strlen(below);
    return !strncmp(path, below, length) && (path[length] == '/' || !path[length]);
}

/* Whether a path lies below the folder; a relative one is looked up from `folder`, a descriptor or AT_FDCWD. */
static int path_counts(int folder, const char *path) {
    if (!below || !path) return 0;
    if (path[0] == '/') return is_below(path);
    char link[64], place[PATH_MAX];
    if (folder == AT_FDCWD) {
        if (!getcwd(place, sizeof place)) return 0;
    } else {
        snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
        ssize_t length = readlink(link, place, sizeof place - 1);
        if (length < 0) return 0;
        place[length] = 0;
    }
    return is_below(place);
}

static int file_counts(int descriptor) {
    return below && path_counts(descriptor, "");
}

/* Count a call of a kind; 0: it happens, 1: it fails, 2: it is the first that fails. */
static int fails(const char *kind) {
    const char *found = strstr(kinds, kind);
    if (!found) return 0;
    int64_t count = __atomic_add_fetch(&state[0], 1, __ATOMIC_SEQ_CST);
    if (!nth || count < nth || (count > nth && !lasting)) return 0;
    __atomic_add_fetch(&state[1], 1, __ATOMIC_SEQ_CST);
    return count == nth ? 2 : 1;
}

/* What a call that fails returns, if the process goes on. */
static int refuse(void) {
    if (!error_number) {
        raise(SIGKILL);
        for (;;) pause();
    }
    errno = error_number;
    return -1;
}

#define OPENS(name)                                                                    \
    int name(const char *path, int flags, ...) {                                       \
        va_list more;                                                                  \
        va_start(more, flags);                                                         \
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0;        \
        va_end(more);                                                                  \
        if ((flags & (O_WRONLY | O_RDWR | O_CREAT)) && path_counts(AT_FDCWD, path) && fails("open")) return refuse(); \
        return NEXT(name)(path, flags, mode);                                          \
    }
OPENS(open)
OPENS(open64)

#define OPENS_AT(name)                                                                 \
    int name(int folder, const char *path, int flags, ...) {                           \
        va_list more;                                                                  \
        va_start(more, flags);                                                         \
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0;        \
        va_end(more);                                                                  \
        if ((flags & (O_WRONLY | O_RDWR | O_CREAT)) && path_counts(folder, path) && fails("open")) return refuse(); \
        return NEXT(name)(folder, path, flags, mode);                                  \
    }
OPENS_AT(openat)
OPENS_AT(openat64)

#define OPENS_STREAM(name)                                                             \
    FILE *name(const char *path, const char *mode) {                                   \
        if (strpbrk(mode, "wa+") && path_counts(AT_FDCWD, path) && fails("open")) {    \
            refuse();                                                                  \
            return NULL;                                                               \
        }                                                                              \
        return NEXT(name)(path, mode);                                                 \
    }
OPENS_STREAM(fopen)
OPENS_STREAM(fopen64)

int mkdir(const char *path, mode_t mode) {
    return path_counts(AT_FDCWD, path) && fails("open") ? refuse() : NEXT(mkdir)(path, mode);
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
    int failed = file_counts(descriptor) ? fails("write") : 0;
    if (failed == 2 && (lasting || !error_number) && count > 1) {
        ssize_t written = NEXT(write)(descriptor, bytes, count / 2);
        return error_number ? written : refuse();
    }
    return failed ? refuse() : NEXT(write)(descriptor, bytes, count);
}

#define WRITES_AT(name)                                                                \
    ssize_t name(int descriptor, const void *bytes, size_t count, __typeof__(((struct stat *)0)->st_size) offset) { \
        return file_counts(descriptor) && fails("write") ? refuse() : NEXT(name)(descriptor, bytes, count, offset); \
    }
WRITES_AT(pwrite)
WRITES_AT(pwrite64)

ssize_t writev(int descriptor, const struct iovec *pieces, int count) {
    return file_counts(descriptor) && fails("write") ? refuse() : NEXT(writev)(descriptor, pieces, count);
}

#define CUTS(name)                                                                     \
    int name(int descriptor, __typeof__(((struct stat *)0)->st_size) size) {           \
        return file_counts(descriptor) && fails("write") ? refuse() : NEXT(name)(descriptor, size); \
    }
CUTS(ftruncate)
CUTS(ftruncate64)

int fsync(int descriptor) {
    return file_counts(descriptor) && fails("fsync") ? refuse() : NEXT(fsync)(descriptor);
}

int fdatasync(int descriptor) {
    return file_counts(descriptor) && fails("fsync") ? refuse() : NEXT(fdatasync)(descriptor);
}

int rename(const char *from, const char *to) {
    return path_counts(AT_FDCWD, to) && fails("rename") ? refuse() : NEXT(rename)(from, to);
}

int renameat(int from_folder, const char *from, int to_folder, const char *to) {
    return path_counts(to_folder, to) && fails("rename") ? refuse() : NEXT(renameat)(from_folder, from, to_folder, to);
}

int link(const char *from, const char *to) {
    return path_counts(AT_FDCWD, to) && fails("rename") ? refuse() : NEXT(link)(from, to);
}

int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags) {
    if (path_counts(to_folder, to) && fails("rename")) return refuse();
    return NEXT(linkat)(from_folder, from, to_folder, to, flags);
}
