# The C++ tests of the library run on 32 bits, for which Debian has no ISA-L.
cross i386 i386 ''
