/* Linked into what a wheel has. GCC 12's library has one function of which
   there is a newer version than GCC 11 knows, and the older one does the same
   here. With that one wheels run where glibc is 2.34, as in RHEL 9, and not
   from 2.35 on alone. */

void old_wait(void* condition, void* lock);
__asm__(
    ".symver old_wait, "
    "_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE@GLIBCXX_3.4.11");

/* The linker is told to take this for it. */
__attribute__((visibility("hidden"))) void
__wrap__ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE(
    void* condition, void* lock) {
  old_wait(condition, lock);
}
