// Empty: this system library only brings libinput's compiler and linker flags to the C target over it.
