// Empty: this system library only brings libgpiod's compiler and linker flags to the C target over it.
