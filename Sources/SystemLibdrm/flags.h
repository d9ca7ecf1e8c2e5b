// Empty: this system library only brings libdrm's compiler and linker flags to the C target over it.
