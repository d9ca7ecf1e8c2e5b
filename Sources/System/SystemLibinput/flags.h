// Empty: this system library only passes libinput's compiler and linker flags to the C target that uses it.
