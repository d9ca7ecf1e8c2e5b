// libreticle: reads barcodes in pictures of 8-bit luma. docs/library.md explains the functions in the order of their use, with a
// whole example.
//
// The library has no global state, starts no thread, writes nothing and never ends the process by intent. A workspace is all of
// the decoder's memory; the caller owns it. One thread at a time may use a workspace, and any number of threads may use one each.
//
// Structs grow at their ends only. A caller passes the size that it was compiled with, so that programs and libraries of
// different ages fit together as long as their ABI version is the same.

#ifndef RETICLE_H
#define RETICLE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The version of this interface, for `reticle_abi_version`. A change that breaks compiled programs increments it, and the number
/// in the shared library's name.
#define RETICLE_ABI_VERSION 1

/// The most pixels in a picture, and the longest side.
#define RETICLE_PIXEL_COUNT_MAX 67108864
#define RETICLE_SIDE_MAX 16384

/// The results of functions: 0 for success. `reticle_status_text` has a sentence for each.
typedef int32_t reticle_status;
enum {
  RETICLE_OK = 0,
  RETICLE_NULL_ARGUMENT = 1,
  RETICLE_BAD_WORKSPACE = 2,
  RETICLE_BAD_PIXEL_COUNT = 3,
  RETICLE_MEMORY_TOO_SMALL = 4,
  RETICLE_BAD_SIDE = 5,
  RETICLE_PICTURE_TOO_LARGE = 6,
  RETICLE_BAD_STRIDE = 7,
  RETICLE_BAD_REGION = 8,
  RETICLE_BAD_STRUCT_SIZE = 9,
  RETICLE_UNKNOWN_SETTING = 10,
  RETICLE_BAD_SYMBOLOGIES = 11,
  RETICLE_BAD_EFFORT = 12,
  RETICLE_BAD_ADD_ONS = 13,
  RETICLE_BAD_COMPOSITE = 14,
  RETICLE_BAD_CHECK = 15,
  RETICLE_BAD_FULL_ASCII = 16,
  RETICLE_BAD_LENGTHS = 17,
  RETICLE_BAD_FLAG = 18,
  RETICLE_BAD_ECI = 19,
  RETICLE_BAD_READING_COUNT = 20,
  RETICLE_BAD_WORK_LIMIT = 21,
  RETICLE_NO_SUCH_RESULT = 22,
  RETICLE_BUFFER_TOO_SMALL = 23,
  RETICLE_NO_MEMORY = 24
};

/// Symbologies. The numbers never change; new ones are added at the end. `reticle_symbology_name` has their names.
typedef int32_t reticle_symbology;
enum {
  RETICLE_EAN13 = 0,
  RETICLE_EAN8 = 1,
  RETICLE_UPCA = 2,
  RETICLE_UPCE = 3,
  RETICLE_ITF = 4,
  RETICLE_ITF14 = 5,
  RETICLE_LEITCODE = 6,
  RETICLE_IDENTCODE = 7,
  RETICLE_CODE39 = 8,
  RETICLE_CODE32 = 9,
  RETICLE_PZN = 10,
  RETICLE_CODE93 = 11,
  RETICLE_CODE128 = 12,
  RETICLE_CODABAR = 13,
  RETICLE_MSI = 14,
  RETICLE_CODE11 = 15,
  RETICLE_INDUSTRIAL2OF5 = 16,
  RETICLE_IATA2OF5 = 17,
  RETICLE_MATRIX2OF5 = 18,
  RETICLE_DATALOGIC2OF5 = 19,
  RETICLE_PLESSEY = 20,
  RETICLE_PHARMACODE = 21,
  RETICLE_PHARMACODE_TWO_TRACK = 22,
  RETICLE_TELEPEN = 23,
  RETICLE_TELEPEN_NUMERIC = 24,
  RETICLE_POSTNET = 25,
  RETICLE_PLANET = 26,
  RETICLE_USPS_IM = 27,
  RETICLE_RM4SCC = 28,
  RETICLE_MAILMARK = 29,
  RETICLE_KIX = 30,
  RETICLE_AUSPOST = 31,
  RETICLE_JAPANPOST = 32,
  RETICLE_CEPNET = 33,
  RETICLE_DATABAR = 34,
  RETICLE_DATABAR_LIMITED = 35,
  RETICLE_DATABAR_EXPANDED = 36,
  RETICLE_PDF417 = 37,
  RETICLE_MICROPDF417 = 38,
  RETICLE_DATAMATRIX = 39,
  RETICLE_AZTEC = 40,
  RETICLE_QR = 41,
  RETICLE_MICROQR = 42,
  RETICLE_RMQR = 43,
  RETICLE_MAXICODE = 44,
  RETICLE_HANXIN = 45,
  RETICLE_DOTCODE = 46,
  RETICLE_DX_FILM_EDGE = 47,
  /// Bars of a symbol that was not read, which do not reveal the symbology.
  RETICLE_ANY_LINEAR = -1
};

/// The bit of a symbology in a set.
#define RETICLE_BIT(symbology) (UINT64_C(1) << (symbology))

/// The work that a picture may cost: all that helps a single picture, or as much as one camera frame, after which the next frame
/// is another chance.
enum { RETICLE_STILL = 0, RETICLE_FRAME = 1 };

/// The policy for the 2- or 5-digit add-on to the right of an EAN or UPC symbol: report the main symbol alone, report both if an
/// add-on is present, or report only symbols that have one.
enum { RETICLE_ADD_ONS_IGNORE = 0, RETICLE_ADD_ONS_READ = 1, RETICLE_ADD_ONS_REQUIRE = 2 };

/// The policy for the two-dimensional component above a linear symbol of GS1 Composite: report both as one symbol, for which a
/// sequence of frames waits, or the linear symbol alone.
enum { RETICLE_COMPOSITE_WAIT = 0, RETICLE_COMPOSITE_IGNORE = 1 };

/// The policy for an optional check character: keep it as data, verify it, or verify it and drop it from the text.
enum { RETICLE_CHECK_NONE = 0, RETICLE_CHECK_VERIFY = 1, RETICLE_CHECK_DROP = 2 };

/// Whether pairs of Code 39 characters encode full ASCII: if every shift character is followed by a letter it can shift, never,
/// or always.
enum { RETICLE_FULL_ASCII_DETECT = 0, RETICLE_FULL_ASCII_NEVER = 1, RETICLE_FULL_ASCII_ALWAYS = 2 };

/// The check digits that MSI symbols have.
enum {
  RETICLE_MSI_NONE = 0,
  RETICLE_MSI_MOD10 = 1,
  RETICLE_MSI_MOD10_MOD10 = 2,
  RETICLE_MSI_MOD11 = 3,
  RETICLE_MSI_MOD11_MOD10 = 4
};

/// The check characters that Code 11 symbols have; with EITHER, two, or one if two are not right.
enum { RETICLE_CODE11_EITHER = 0, RETICLE_CODE11_NONE = 1, RETICLE_CODE11_ONE = 2, RETICLE_CODE11_TWO = 3 };

/// The settings of a decode. `reticle_settings_init` fills in the defaults.
typedef struct {
  /// sizeof(reticle_settings)
  size_t size;
  /// The symbologies to look for, as RETICLE_BITs. Default: the common ones.
  uint64_t symbologies;
  /// At effort RETICLE_FRAME: the symbologies that are read in `voted_reading_count` frames before they are kept while their
  /// pixels stay the same, so that a caller can compare the readings. Default: those with a weak check character or none.
  uint64_t voted_symbologies;
  /// At effort RETICLE_FRAME: work units that a frame may cost, clamped to what the efforts cost; 0 (default): the least.
  int64_t work_limit;
  /// RETICLE_STILL (default) or RETICLE_FRAME
  int32_t effort;
  /// RETICLE_ADD_ONS_…, default IGNORE
  int32_t add_ons;
  /// RETICLE_COMPOSITE_…, default WAIT
  int32_t composite;
  /// 1 to 255, default 2
  int32_t voted_reading_count;
  /// The ECI assignment number, 0 to 999999, of bytes whose symbol declares none; -1 (default): as the symbology's standard says,
  /// or as the bytes look.
  int32_t assumed_eci;
  /// RETICLE_FULL_ASCII_…, default DETECT
  int32_t code39_full_ascii;
  /// RETICLE_MSI_…, default MOD10
  int32_t msi_check;
  /// 1 (default) keeps the check digits in the text, 0 drops them.
  int32_t msi_keeps_check_digits;
  /// RETICLE_CODE11_…, default EITHER
  int32_t code11_check;
  /// 1 (default) keeps the check characters in the text, 0 drops them.
  int32_t code11_keeps_check_digits;
  /// 1 (default) keeps start and stop characters in the text, 0 drops them.
  int32_t codabar_keeps_start_and_stop;
  /// 0
  int32_t reserved;
  /// RETICLE_CHECK_… by symbology: of Code 39 modulo 43, of the codes 2 of 5 modulo 10, of Codabar modulo 16. Others have no
  /// optional one. Default: NONE
  uint8_t checks[64];
  /// The permitted lengths of a linear symbology's texts by symbology. docs/configuration.md has the limits of each; symbologies
  /// without a length there keep their default.
  uint8_t length_min[64];
  uint8_t length_max[64];
} reticle_settings;

/// A rectangle of whole pixels.
typedef struct {
  int32_t x, y, width, height;
} reticle_region;

/// A place in pixels: (0, 0) is the centre of the top left pixel, y grows downwards. A multiple of 1/65536.
typedef struct {
  double x, y;
} reticle_point;

/// The limits that ended a decode before all candidates were tried, in `reticle_outcome.limits`.
enum {
  /// The work that the effort allows.
  RETICLE_LIMIT_WORK = 1,
  /// Candidates of a kind that had cost much and given no symbol were passed over.
  RETICLE_LIMIT_PATIENCE = 2,
  /// Room for candidates.
  RETICLE_LIMIT_CANDIDATES = 4,
  /// Room for symbols, their bytes or segments.
  RETICLE_LIMIT_SYMBOLS = 8
};

/// The result of a decode.
typedef struct {
  /// Symbols that were read, at most 512.
  size_t symbol_count;
  /// Symbols that were found but not read, at most 16.
  size_t located_count;
  /// Work units spent, and allowed. Equal pixels and settings cost the same on every machine.
  int64_t work_units;
  int64_t work_limit;
  /// RETICLE_LIMIT_…; 0 if all candidates were tried.
  uint32_t limits;
  uint32_t reserved;
} reticle_outcome;

/// Properties of a symbol, in `reticle_symbol.flags`.
enum {
  /// GS1 element strings, with FNC1 as byte 0x1D.
  RETICLE_SYMBOL_GS1 = 1,
  /// Light on dark.
  RETICLE_SYMBOL_INVERTED = 2,
  /// Seen mirrored.
  RETICLE_SYMBOL_MIRRORED = 4,
  /// The component of GS1 Composite ends the bytes.
  RETICLE_SYMBOL_COMPONENT = 8,
  /// A component of GS1 Composite that the symbol announces, or that was seen, was not read.
  RETICLE_SYMBOL_COMPONENT_UNREAD = 16,
  /// A part of a message that is spread over several symbols: `part_index`, `part_count` and `part_id` apply.
  RETICLE_SYMBOL_PART = 32
};

/// A symbol that was read.
typedef struct {
  reticle_symbology symbology;
  uint32_t flags;
  /// The AIM symbology identifier, such as "]E0".
  char aim[4];
  /// Bytes of the add-on at the end of `bytes`: 0, 2 or 5.
  uint8_t add_on_byte_count;
  /// 1 to 100; 100 means that nothing was corrected and nothing was near a limit.
  uint8_t confidence;
  /// Independent scan lines that agree, for linear and stacked symbologies; 1 for others.
  uint8_t line_count;
  uint8_t reserved;
  /// Codewords that error correction changed or filled in.
  uint32_t corrected_codeword_count;
  /// The character sets that the symbol declares, for `reticle_get_segment`.
  uint32_t segment_count;
  /// The message as encoded. The bytes are in the workspace and stay there until the next decode.
  const uint8_t *bytes;
  size_t byte_count;
  /// Without quiet zone, from the symbol's own top left clockwise as the symbol is meant to be seen; in a picture of a mirrored
  /// symbol, they run anticlockwise.
  reticle_point corners[4];
  /// The place in a message of several symbols, from 0; the number of its symbols, 0 if the symbol does not say; and a number
  /// that all of them share.
  int32_t part_index;
  int32_t part_count;
  uint64_t part_id;
} reticle_symbol;

/// The character set of a symbol's bytes from `byte_offset` up to the next segment. Bytes before the first have none declared.
typedef struct {
  size_t byte_offset;
  /// The ECI assignment number, 0 to 999999; -1 if none is declared.
  int32_t eci;
  int32_t reserved;
} reticle_segment;

/// A symbol that was found but not read.
typedef struct {
  /// The symbology that it looks like, or RETICLE_ANY_LINEAR.
  reticle_symbology symbology;
  int32_t reserved;
  reticle_point corners[4];
  /// The width of a module in pixels, for bars an estimate.
  double module;
} reticle_located;

/// Properties of a text, in `reticle_text.flags`.
enum {
  /// Every byte was part of a character of its declared set. Otherwise the text has U+FFFD where one was not.
  RETICLE_TEXT_EXACT = 1,
  /// The text is a URL.
  RETICLE_TEXT_LINK = 2
};

/// The text of a symbol, in the caller's buffer.
typedef struct {
  /// Unicode in UTF-8, ended by a zero byte. The text itself may contain zeros, so `text_byte_count` is its length. An add-on
  /// follows the main symbol after a space; FNC1 between GS1 element strings is U+001D.
  const char *text;
  size_t text_byte_count;
  /// The human-readable interpretation, ended by a zero byte: the element strings of a GS1 symbol as printed below it, such as
  /// (01)09501101530003(17)140704, or the number of an Italian medicine. NULL and 0 for other symbols.
  const char *hri;
  size_t hri_byte_count;
  /// RETICLE_TEXT_…
  uint32_t flags;
  uint32_t reserved;
  /// Bytes that the buffer needs.
  size_t needed_byte_count;
} reticle_text;

/// A decoder with all of its memory.
typedef struct reticle_workspace reticle_workspace;

/// The library's ABI version; differs from RETICLE_ABI_VERSION if the program was compiled with the header of another one.
uint32_t reticle_abi_version(void);

/// The library's version, such as "0.1.0".
const char *reticle_version(void);

/// A sentence for a status: the consequence, the cause and the fix. Never NULL.
const char *reticle_status_text(reticle_status status);

/// The id of a symbology, such as "databar-limited", and its title, such as "GS1 DataBar Limited"; NULL for a number that is
/// no symbology's.
const char *reticle_symbology_name(reticle_symbology symbology);
const char *reticle_symbology_title(reticle_symbology symbology);

/// All symbologies that the library reads, as RETICLE_BITs.
uint64_t reticle_symbologies(void);

/// Fills in the defaults.
reticle_status reticle_settings_init(reticle_settings *settings, size_t settings_size);

/// Bytes of memory for pictures of up to `pixel_count` pixels: some 10 MB and 4 per pixel. 0 if `pixel_count` is out of range.
size_t reticle_workspace_size(size_t pixel_count);

/// Makes a workspace in memory of the caller, for pictures of up to `pixel_count` pixels. The memory may have any alignment. It must
/// stay where it is and belong to the workspace alone until the caller frees it; there is nothing else to release.
reticle_status reticle_workspace_make(void *memory, size_t memory_size, size_t pixel_count, reticle_workspace **workspace);

/// Forgets what was in view: the next frame begins a new sequence and is decoded as in a new workspace.
reticle_status reticle_begin_sequence(reticle_workspace *workspace);

/// Reads the symbols of a picture.
///
/// At effort RETICLE_FRAME the workspace keeps what it knows from one frame to the next, until `reticle_begin_sequence`, and adds
/// frames up to read what no single one shows. The result depends on the arguments and these frames alone, not on a clock.
/// The call allocates nothing. An error leaves the results of the previous decode as they are.
///
/// - luma: rows of 8-bit grey, 0 is black; read, not changed.
/// - stride: bytes from one row to the next, at least `width`.
/// - region: the part of the picture to read; NULL for all of it.
/// - settings: NULL for the defaults.
/// - outcome: NULL if it is not wanted.
reticle_status reticle_decode(
    reticle_workspace *workspace, const uint8_t *luma, size_t width, size_t height, size_t stride, const reticle_region *region,
    const reticle_settings *settings, reticle_outcome *outcome, size_t outcome_size);

/// Copies a symbol of the last decode, by its index in order of discovery.
reticle_status reticle_get_symbol(
    const reticle_workspace *workspace, size_t index, reticle_symbol *symbol, size_t symbol_size);

/// Copies a segment of a symbol of the last decode.
reticle_status reticle_get_segment(
    const reticle_workspace *workspace, size_t symbol_index, size_t segment_index, reticle_segment *segment,
    size_t segment_size);

/// Copies a symbol that the last decode found but did not read.
reticle_status reticle_get_located(
    const reticle_workspace *workspace, size_t index, reticle_located *located, size_t located_size);

/// Makes the text of a symbol of the last decode in `buffer`. If that is too small, only `text->needed_byte_count` is set; `buffer`
/// may be NULL with a size of 0 to ask for it.
///
/// Unlike the decoder, this takes memory from malloc while it runs, some kilobytes, and returns all of it. The first
/// GS1 symbol of a process also makes the tables of its rules, 0.3 MB, which stay. National character sets need the C library's
/// iconv with its tables; without them, each byte becomes the character with the same number, and RETICLE_TEXT_EXACT is not set.
reticle_status reticle_get_text(
    const reticle_workspace *workspace, size_t index, char *buffer, size_t buffer_size, reticle_text *text, size_t text_size);

#ifdef __cplusplus
}
#endif

#endif
