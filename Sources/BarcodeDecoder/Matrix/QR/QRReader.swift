/// Reads the QR symbols of a scene.
func readQRSymbols(_ scene: inout Scene) {}
