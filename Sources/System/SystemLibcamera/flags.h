// Empty: this system library only passes libcamera's compiler and linker flags to the C target that uses it.
