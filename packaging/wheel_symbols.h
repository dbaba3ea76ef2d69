// Included first in each file of a wheel. GCC 12's library has one function of which
// there is a newer version than GCC 11 knows, and the old one does the same here. With
// it wheels run where glibc is 2.34, as in RHEL 9, and not from 2.35 on alone.

#if defined(__x86_64__) && defined(__linux__)
__asm__(
    ".symver _ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE,"
    "_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE@GLIBCXX_3.4.11");
#endif
