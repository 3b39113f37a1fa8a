/* A library for LD_PRELOAD that fails a chosen call to the system, or kills the process there.

   It counts the calls that change something below one folder, over all processes that share the file of its state:

     open      opening for writing, creating a folder
     write     write, pwrite, writev
     truncate  ftruncate
     fsync     fsync, fdatasync
     rename    rename, link

   and, of processes that were started with such settings, those that ask for memory:

     map       mmap of a file below the folder, or of memory
     malloc    malloc, calloc, realloc, posix_memalign of so many bytes or more
     new       the same of any size, where libstdc++ asks, and so `new` in C++

   The environment says what happens (tests/support/failing_calls.py sets it):

     FAILING_CALLS_BELOW    the folder, an absolute path without links
     FAILING_CALLS_STATE    a file of two 64-bit integers: calls so far, and calls that failed
     FAILING_CALLS_KINDS    the names above that count, separated by commas
     FAILING_CALLS_NTH      which call fails, counted from 1; 0 for none, so that calls are only counted
     FAILING_CALLS_ERROR    the number of the error, 0 to kill the process with SIGKILL, or -1 for a write that succeeds
                            with half of its bytes
     FAILING_CALLS_LASTING  1 if all calls after it fail as well, as on a full disk
     FAILING_CALLS_LEAST    the smallest `malloc` that counts
     FAILING_CALLS_DISK     what the disk is like: 0 what was written is there after a kill; 1 after a kill, as after a
                            power failure, the ends of files and the renames are lost that were not flushed; 2 the same
                            of a disk that says that it has flushed and has not; 3 every change waits for up to 2 ms
     FAILING_CALLS_CLOCK    1 if the time of day jumps, by up to 400 days in both directions
     FAILING_CALLS_SEED     what chance begins with

   A process that crashes while requests for memory fail says where, innermost call first, on its standard error.

   A write that is killed, or is the first to meet a full disk, leaves half of its bytes in the file.  What is lost of a
   disk is the end of a file from some byte on and the newest renames and links, in the process that is killed; bytes in
   the middle of a file, new folders and removed files are not brought back. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define FRAMES 64

static const char *below, *kinds;
static int64_t nth;
static int error_number, lasting, disk, jumps;
static size_t least;
static uint64_t chance = 1;
static int64_t *state;
static uintptr_t library_begins, library_ends; /* libstdc++ */

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static uint64_t dice(uint64_t sides) {
    chance = chance * 6364136223846793005u + 1442695040888963407u;
    return (chance >> 33) % sides;
}

static int is_library(struct dl_phdr_info *info, size_t size, void *unused) {
    (void)size, (void)unused;
    if (!strstr(info->dlpi_name, "libstdc++")) return 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type != PT_LOAD || !(info->dlpi_phdr[i].p_flags & PF_X)) continue;
        library_begins = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        library_ends = library_begins + info->dlpi_phdr[i].p_memsz;
    }
    return 1;
}

static int64_t setting(const char *name) {
    const char *text = getenv(name);
    return text ? atoll(text) : 0;
}

/* Say where the process crashed; the signal then ends it. */
static void say_where(int signal) {
    static const char head[] = "crashed in:\n";
    void *frames[FRAMES];
    int count = backtrace(frames, FRAMES);
    if (write(STDERR_FILENO, head, sizeof head - 1) > 0) backtrace_symbols_fd(frames + 1, count - 1, STDERR_FILENO);
    (void)signal;
}

/* Read the settings; a process that is forked from one without them calls it again. */
__attribute__((constructor)) void begin_to_fail(void) {
    const char *file = getenv("FAILING_CALLS_STATE");
    if (!file) return;
    kinds = getenv("FAILING_CALLS_KINDS");
    nth = setting("FAILING_CALLS_NTH");
    error_number = (int)setting("FAILING_CALLS_ERROR");
    lasting = (int)setting("FAILING_CALLS_LASTING");
    least = (size_t)setting("FAILING_CALLS_LEAST");
    disk = (int)setting("FAILING_CALLS_DISK");
    jumps = (int)setting("FAILING_CALLS_CLOCK");
    chance = (uint64_t)setting("FAILING_CALLS_SEED") * 2654435761u + 1;
    dl_iterate_phdr(is_library, NULL);
    if (error_number == ENOMEM) {
        void *frame;
        backtrace(&frame, 1); /* Its first use asks for memory. */
        struct sigaction crash = {.sa_handler = say_where, .sa_flags = (int)(SA_RESETHAND | SA_NODEFER)};
        sigaction(SIGSEGV, &crash, NULL);
        sigaction(SIGABRT, &crash, NULL);
    }
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

/* --- a disk that loses what was not flushed --- */

enum { KEPT, LOSES, LIES, SLOW };
static struct written {
    dev_t device;
    ino_t inode;
    int descriptor; /* of its own: it shares no lock */
    off_t flushed;
} written[128];
static struct moved {
    char from[512], to[512], before[512];
} moved[32];
static int written_count, moved_count;

static struct written *note_write(int descriptor) {
    struct stat status;
    if (fstat(descriptor, &status) || !S_ISREG(status.st_mode)) return NULL;
    for (int i = 0; i < written_count; i++)
        if (written[i].device == status.st_dev && written[i].inode == status.st_ino) return &written[i];
    if (written_count == 128) return NULL;
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    int own = NEXT(open)(link, O_WRONLY | O_CLOEXEC);
    if (own < 0) return NULL;
    int high = fcntl(own, F_DUPFD_CLOEXEC, 600);
    close(own);
    written[written_count] = (struct written){status.st_dev, status.st_ino, high, status.st_size};
    return &written[written_count++];
}

__attribute__((destructor)) static void forget_moves(void) {
    while (moved_count > 0) unlink(moved[--moved_count].before);
}

static void note_flush(int descriptor) {
    struct stat status;
    if (disk != LOSES || fstat(descriptor, &status)) return;
    if (S_ISDIR(status.st_mode)) {
        forget_moves();
        return;
    }
    for (int i = 0; i < written_count; i++)
        if (written[i].device == status.st_dev && written[i].inode == status.st_ino) written[i].flushed = status.st_size;
}

/* Before a rename, or a link (from nothing): keep what it replaces. */
static void note_move(const char *from, const char *to) {
    if ((disk != LOSES && disk != LIES) || !state) return;
    if (moved_count == 32) {
        unlink(moved[0].before);
        memmove(moved, moved + 1, 31 * sizeof *moved);
        moved_count--;
    }
    struct moved *now = &moved[moved_count];
    static int serial;
    snprintf(now->from, sizeof now->from, "%s", from);
    snprintf(now->to, sizeof now->to, "%s", to);
    /* Beside the folder, which may be on another disk than the file of the state. */
    snprintf(now->before, sizeof now->before, "%s.before.%d.%d", below, (int)getpid(), serial++);
    if (NEXT(link)(to, now->before)) {
        if (errno != ENOENT) abort();
        now->before[0] = 0;
    }
    moved_count++;
}

static void lose(void) {
    for (int i = 0; i < written_count; i++) {
        struct stat status;
        if (fstat(written[i].descriptor, &status) || status.st_size <= written[i].flushed) continue;
        off_t left = status.st_size - written[i].flushed;
        if (NEXT(ftruncate)(written[i].descriptor, written[i].flushed + (off_t)dice((uint64_t)left + 1))) return;
    }
    for (int back = (int)dice((uint64_t)moved_count + 1); back > 0; back--) {
        struct moved *last = &moved[--moved_count];
        if (last->from[0]) NEXT(rename)(last->to, last->from);
        else unlink(last->to);
        if (last->before[0]) NEXT(rename)(last->before, last->to);
    }
    forget_moves();
}

static void wait_for_disk(void) {
    if (disk == SLOW) usleep((useconds_t)dice(2000));
}

/* What a call that fails returns, if the process goes on. */
static int refuse(void) {
    if (!error_number) {
        if (disk == LOSES || disk == LIES) lose();
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
    /* Signals interrupt no mkdir. */
    return error_number != EINTR && path_counts(AT_FDCWD, path) && fails("open") ? refuse() : NEXT(mkdir)(path, mode);
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
    if (!file_counts(descriptor)) return NEXT(write)(descriptor, bytes, count);
    if (disk) note_write(descriptor), wait_for_disk();
    int failed = fails("write");
    if (failed == 2 && (lasting || error_number < 1) && count > 1) {
        ssize_t half = NEXT(write)(descriptor, bytes, count / 2);
        return error_number ? half : refuse();
    }
    return failed && error_number >= 0 ? refuse() : NEXT(write)(descriptor, bytes, count);
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
        return file_counts(descriptor) && fails("truncate") ? refuse() : NEXT(name)(descriptor, size); \
    }
CUTS(ftruncate)
CUTS(ftruncate64)

#define FLUSHES(name)                                                                  \
    int name(int descriptor) {                                                         \
        if (!file_counts(descriptor)) return NEXT(name)(descriptor);                   \
        wait_for_disk();                                                               \
        if (fails("fsync")) return refuse();                                           \
        note_flush(descriptor);                                                        \
        return disk == LIES ? 0 : NEXT(name)(descriptor);                              \
    }
FLUSHES(fsync)
FLUSHES(fdatasync)

int rename(const char *from, const char *to) {
    if (!path_counts(AT_FDCWD, to)) return NEXT(rename)(from, to);
    wait_for_disk();
    if (fails("rename")) return refuse();
    note_move(from, to);
    return NEXT(rename)(from, to);
}

int renameat(int from_folder, const char *from, int to_folder, const char *to) {
    return path_counts(to_folder, to) && fails("rename") ? refuse() : NEXT(renameat)(from_folder, from, to_folder, to);
}

int link(const char *from, const char *to) {
    if (!path_counts(AT_FDCWD, to)) return NEXT(link)(from, to);
    if (fails("rename")) return refuse();
    note_move("", to);
    return NEXT(link)(from, to);
}

int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags) {
    if (path_counts(to_folder, to) && fails("rename")) return refuse();
    return NEXT(linkat)(from_folder, from, to_folder, to, flags);
}

/* --- memory --- */

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static int has_memory(size_t size, uintptr_t caller) {
    if (!state || error_number <= 0) return 1;
    int failed = size >= least && fails("malloc");
    if (caller >= library_begins && caller < library_ends) failed |= fails("new");
    if (failed) errno = ENOMEM;
    return !failed;
}
#define HAS_MEMORY(size) has_memory(size, (uintptr_t)__builtin_return_address(0))

void *malloc(size_t size) { return HAS_MEMORY(size) ? __libc_malloc(size) : NULL; }

void *calloc(size_t count, size_t size) { return HAS_MEMORY(count * size) ? __libc_calloc(count, size) : NULL; }

void *realloc(void *before, size_t size) { return HAS_MEMORY(size) ? __libc_realloc(before, size) : NULL; }

void *aligned_alloc(size_t alignment, size_t size) {
    return HAS_MEMORY(size) ? __libc_memalign(alignment, size) : NULL;
}

int posix_memalign(void **made, size_t alignment, size_t size) {
    if (!HAS_MEMORY(size)) return ENOMEM;
    *made = __libc_memalign(alignment, size);
    return *made ? 0 : ENOMEM;
}

#define MAPS(name)                                                                     \
    void *name(void *at, size_t size, int rights, int flags, int descriptor, __typeof__(((struct stat *)0)->st_size) from) { \
        if (state && error_number > 0 && (descriptor < 0 || file_counts(descriptor)) && fails("map")) { \
            errno = ENOMEM;                                                            \
            return MAP_FAILED;                                                         \
        }                                                                              \
        return NEXT(name)(at, size, rights, flags, descriptor, from);                  \
    }
MAPS(mmap)
MAPS(mmap64)

/* --- the time of day --- */

static int64_t jump(void) {
    static int64_t offset;
    static const int64_t sizes[] = {0, 1, 60, 3600, 86400, 400 * 86400};
    if (jumps && !dice(4)) offset = (dice(2) ? 1 : -1) * sizes[dice(6)];
    return offset;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    int code = NEXT(clock_gettime)(clock, now);
    if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE) now->tv_sec += jump();
    return code;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    int code = NEXT(gettimeofday)(now, zone);
    now->tv_sec += jump();
    return code;
}

time_t time(time_t *now) {
    struct timespec found;
    clock_gettime(CLOCK_REALTIME, &found);
    if (now) *now = found.tv_sec;
    return found.tv_sec;
}
