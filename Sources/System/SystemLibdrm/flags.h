// Empty: this system library only passes libdrm's compiler and linker flags to the C target that uses it.
