// Empty: this system library only brings libcamera's compiler and linker flags to the C target over it.
