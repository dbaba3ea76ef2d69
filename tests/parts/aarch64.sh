# The C++ tests of the library run on an emulated AArch64, forty times slower.
# Other parts run those that try very many records or bytes and depend on
# nothing of the machine, and those that look at the clock. The emulator passes no
# advice about memory to the kernel.
left_out='*Random*:*Exhaustive*:*Families.*:Schema*'
left_out+=':Hostile*:CancelTest.*:DifferentialTest.WaysToReadAFile'
left_out+=':SteadyState.*:PackedVarints.EveryMaskOfSixteenBytes'
left_out+=':MemoryPoolTest.TheKernelMayTakeWhatIsKept'
left_out+=':Cursor.EveryStringOfUpToThreeBytes'
cross aarch64 arm64 "$left_out" "${aarch64_packages[@]}"
