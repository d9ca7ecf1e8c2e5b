// Empty: this system library only passes libgpiod's compiler and linker flags to the C target that uses it.
