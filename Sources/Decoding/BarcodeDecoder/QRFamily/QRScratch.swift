// The memory that QR Code, Micro QR Code and rMQR Code share: only one symbol is read at a time.

/// The modules of a symbol and its codewords. Copies refer to the same memory.
@safe struct QRScratch {
  let values: ModuleValues
  let codewords: QRCodewordReader

  init(arena: inout Arena) throws(ArenaFull) {
    values = try ModuleValues(QRTables.sizeMax * QRTables.sizeMax, arena: &arena)
    codewords = try QRCodewordReader(arena: &arena)
  }
}
