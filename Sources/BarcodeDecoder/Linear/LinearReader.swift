/// Reads the linear symbols of a scene.
func readLinearSymbols(_ scene: inout Scene) {}
