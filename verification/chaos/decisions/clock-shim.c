/* Preloaded into redis-server: its wall clock is off by as many microseconds as the file TESTBED_CLOCK_FILE says (a signed
   64-bit integer, read at each question, so that it can be stepped while the server runs). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>

static volatile int64_t none = 0, *offset_us = 0;

static int64_t offset(void) {
  if (!offset_us) {
    int file = open(getenv("TESTBED_CLOCK_FILE"), O_RDONLY);
    void *map = file < 0 ? MAP_FAILED : mmap(0, sizeof none, PROT_READ, MAP_SHARED, file, 0);
    offset_us = map == MAP_FAILED ? &none : map;
  }
  return *offset_us;
}

int gettimeofday(struct timeval *restrict tv, void *restrict zone) {
  static int (*real)(clockid_t, struct timespec *);
  struct timespec now;
  (void)zone;
  if (!real) real = dlsym(RTLD_NEXT, "clock_gettime");
  real(CLOCK_REALTIME, &now);
  int64_t us = now.tv_sec * 1000000LL + now.tv_nsec / 1000 + offset();
  tv->tv_sec = us / 1000000;
  tv->tv_usec = us % 1000000;
  return 0;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  static int (*real)(clockid_t, struct timespec *);
  if (!real) real = dlsym(RTLD_NEXT, "clock_gettime");
  int result = real(clock, now);
  if (clock == CLOCK_REALTIME) now->tv_sec += offset() / 1000000;
  return result;
}
