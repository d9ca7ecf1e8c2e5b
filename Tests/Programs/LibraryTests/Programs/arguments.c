// Every wrong argument of libreticle has a status with a sentence, and changes nothing. Ends with the number of refusals.

#include <reticle.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { width = 64, height = 48 };

static int failure_count, refusal_count;
static uint8_t luma[width * height];
static char *memory;
static reticle_workspace *workspace;

static void expect(reticle_status actual, reticle_status wanted, const char *what) {
  refusal_count += wanted != RETICLE_OK;
  if (actual == wanted) return;
  failure_count++;
  printf("%s: status %d, expected %d\n", what, actual, wanted);
}
#define EXPECT(wanted, call) expect(call, wanted, #call)

static reticle_status decode(const reticle_region *region, const reticle_settings *settings) {
  return reticle_decode(workspace, luma, width, height, width, region, settings, NULL, 0);
}

static void texts(void) {
  for (reticle_status status = RETICLE_OK; status <= RETICLE_NO_MEMORY; status++) {
    const char *text = reticle_status_text(status);
    for (reticle_status other = RETICLE_OK; other < status; other++)
      if (strcmp(text, reticle_status_text(other)) == 0) failure_count++, printf("status %d has no sentence of its own\n", status);
  }
  if (!strstr(reticle_status_text(RETICLE_NO_MEMORY + 1), "unknown")) failure_count++, printf("an unknown status is known\n");
  if (!strstr(reticle_status_text(-1), "unknown")) failure_count++, printf("status -1 is known\n");
}

static void symbologies(void) {
  uint64_t all = reticle_symbologies();
  for (int i = -70; i < 70; i++) {
    int is_known = i >= 0 && i < 64 && (all >> i & 1);
    if (!!reticle_symbology_name(i) != is_known || !!reticle_symbology_title(i) != is_known)
      failure_count++, printf("symbology %d has a name but no bit, or a bit but no name\n", i);
  }
}

static void workspaces(void) {
  size_t size = reticle_workspace_size(width * height);
  if (reticle_workspace_size(0) || reticle_workspace_size((size_t)RETICLE_PIXEL_COUNT_MAX + 1) || reticle_workspace_size(SIZE_MAX))
    failure_count++, printf("an impossible number of pixels has a size\n");
  if (!reticle_workspace_size(RETICLE_PIXEL_COUNT_MAX)) failure_count++, printf("the most pixels have no size\n");
  memory = malloc(size + 1);
  if (!memory) exit(2);
  EXPECT(RETICLE_NULL_ARGUMENT, reticle_workspace_make(NULL, size, width * height, &workspace));
  EXPECT(RETICLE_NULL_ARGUMENT, reticle_workspace_make(memory, size, width * height, NULL));
  EXPECT(RETICLE_BAD_PIXEL_COUNT, reticle_workspace_make(memory, size, 0, &workspace));
  EXPECT(RETICLE_BAD_PIXEL_COUNT, reticle_workspace_make(memory, size, SIZE_MAX, &workspace));
  EXPECT(RETICLE_MEMORY_TOO_SMALL, reticle_workspace_make(memory, size - 1, width * height, &workspace));
  EXPECT(RETICLE_MEMORY_TOO_SMALL, reticle_workspace_make(memory, 0, width * height, &workspace));
  // Memory of any alignment.
  EXPECT(RETICLE_OK, reticle_workspace_make(memory + 1, size, width * height, &workspace));
  EXPECT(RETICLE_OK, decode(NULL, NULL));
  // A copy is no workspace.
  _Alignas(64) static char copy[256];
  memcpy(copy, workspace, sizeof copy);
  EXPECT(RETICLE_BAD_WORKSPACE, reticle_begin_sequence((reticle_workspace *)copy));
  memset(copy, 0, sizeof copy);
  EXPECT(RETICLE_BAD_WORKSPACE, reticle_begin_sequence((reticle_workspace *)copy));
  EXPECT(RETICLE_BAD_WORKSPACE, reticle_begin_sequence((reticle_workspace *)(copy + 1)));
  EXPECT(RETICLE_BAD_WORKSPACE, reticle_decode((reticle_workspace *)copy, luma, 1, 1, 1, NULL, NULL, NULL, 0));
  EXPECT(RETICLE_NULL_ARGUMENT, reticle_begin_sequence(NULL));
  EXPECT(RETICLE_OK, reticle_begin_sequence(workspace));
}

static void pictures(void) {
  reticle_outcome outcome;
  EXPECT(RETICLE_NULL_ARGUMENT, reticle_decode(NULL, luma, width, height, width, NULL, NULL, NULL, 0));
  EXPECT(RETICLE_NULL_ARGUMENT, reticle_decode(workspace, NULL, width, height, width, NULL, NULL, NULL, 0));
  EXPECT(RETICLE_BAD_SIDE, reticle_decode(workspace, luma, 0, height, width, NULL, NULL, NULL, 0));
  EXPECT(RETICLE_BAD_SIDE, reticle_decode(workspace, luma, width, 0, width, NULL, NULL, NULL, 0));
  EXPECT(RETICLE_BAD_SIDE, reticle_decode(workspace, luma, RETICLE_SIDE_MAX + 1, 1, RETICLE_SIDE_MAX + 1, NULL, NULL, NULL, 0));
  EXPECT(RETICLE_BAD_SIDE, reticle_decode(workspace, luma, 1, SIZE_MAX, 1, NULL, NULL, NULL, 0));
  EXPECT(RETICLE_PICTURE_TOO_LARGE, reticle_decode(workspace, luma, width, height + 1, width, NULL, NULL, NULL, 0));
  EXPECT(RETICLE_BAD_STRIDE, reticle_decode(workspace, luma, width, height, width - 1, NULL, NULL, NULL, 0));
  EXPECT(RETICLE_BAD_STRIDE, reticle_decode(workspace, luma, width, height, SIZE_MAX / 2, NULL, NULL, NULL, 0));
  EXPECT(RETICLE_BAD_STRUCT_SIZE, reticle_decode(workspace, luma, width, height, width, NULL, NULL, &outcome, 0));
  EXPECT(RETICLE_OK, reticle_decode(workspace, luma, width, height, width, NULL, NULL, &outcome, sizeof outcome));
  EXPECT(RETICLE_OK, reticle_decode(workspace, luma, 1, 1, 1, NULL, NULL, &outcome, sizeof outcome));
  const reticle_region regions[] = {
      {0, 0, 0, 1}, {0, 0, 1, -1}, {width, 0, 1, 1}, {0, height, 1, 1}, {-4, 0, 4, 4}, {INT32_MIN, INT32_MIN, 1, 1}};
  for (size_t i = 0; i < sizeof regions / sizeof *regions; i++) EXPECT(RETICLE_BAD_REGION, decode(&regions[i], NULL));
  const reticle_region partial = {-4, -4, INT32_MAX, INT32_MAX};
  EXPECT(RETICLE_OK, decode(&partial, NULL));
}

// Decodes with the defaults but one.
#define WITH(change, wanted)                                      \
  do {                                                            \
    reticle_settings settings;                                    \
    reticle_settings_init(&settings, sizeof settings);            \
    settings.change;                                              \
    expect(decode(NULL, &settings), wanted, #change);             \
  } while (0)

static void all_settings(void) {
  reticle_settings settings;
  EXPECT(RETICLE_NULL_ARGUMENT, reticle_settings_init(NULL, sizeof settings));
  EXPECT(RETICLE_BAD_STRUCT_SIZE, reticle_settings_init(&settings, sizeof settings - 1));
  EXPECT(RETICLE_BAD_STRUCT_SIZE, reticle_settings_init(&settings, SIZE_MAX));
  WITH(size = 0, RETICLE_BAD_STRUCT_SIZE);
  WITH(size = SIZE_MAX, RETICLE_BAD_STRUCT_SIZE);
  WITH(symbologies = 0, RETICLE_BAD_SYMBOLOGIES);
  WITH(symbologies = UINT64_C(1) << 63, RETICLE_BAD_SYMBOLOGIES);
  WITH(symbologies = reticle_symbologies(), RETICLE_OK);
  WITH(voted_symbologies = UINT64_MAX, RETICLE_BAD_SYMBOLOGIES);
  WITH(voted_symbologies = 0, RETICLE_OK);
  WITH(work_limit = -1, RETICLE_BAD_WORK_LIMIT);
  WITH(work_limit = INT64_MAX, RETICLE_OK);
  WITH(effort = 2, RETICLE_BAD_EFFORT);
  WITH(effort = -1, RETICLE_BAD_EFFORT);
  WITH(add_ons = 3, RETICLE_BAD_ADD_ONS);
  WITH(composite = 2, RETICLE_BAD_COMPOSITE);
  WITH(voted_reading_count = 0, RETICLE_BAD_READING_COUNT);
  WITH(voted_reading_count = 256, RETICLE_BAD_READING_COUNT);
  WITH(assumed_eci = -2, RETICLE_BAD_ECI);
  WITH(assumed_eci = 1000000, RETICLE_BAD_ECI);
  WITH(assumed_eci = 999999, RETICLE_OK);
  WITH(code39_full_ascii = 3, RETICLE_BAD_FULL_ASCII);
  WITH(msi_check = 5, RETICLE_BAD_CHECK);
  WITH(code11_check = 4, RETICLE_BAD_CHECK);
  WITH(checks[RETICLE_CODE39] = 3, RETICLE_BAD_CHECK);
  WITH(checks[RETICLE_CODE39] = RETICLE_CHECK_DROP, RETICLE_OK);
  WITH(msi_keeps_check_digits = 2, RETICLE_BAD_FLAG);
  WITH(code11_keeps_check_digits = -1, RETICLE_BAD_FLAG);
  WITH(codabar_keeps_start_and_stop = 7, RETICLE_BAD_FLAG);
  WITH(reserved = 1, RETICLE_UNKNOWN_SETTING);
  WITH(length_min[RETICLE_ITF] = 1, RETICLE_BAD_LENGTHS);
  WITH(length_max[RETICLE_ITF] = 5, RETICLE_BAD_LENGTHS);
  WITH(length_max[RETICLE_EAN13] = 13, RETICLE_BAD_LENGTHS);
  WITH(length_min[RETICLE_ITF] = 14, RETICLE_OK);

  // A newer program's struct: what this library does not know must be off.
  struct {
    reticle_settings known;
    uint64_t unknown;
  } newer;
  EXPECT(RETICLE_OK, reticle_settings_init(&newer.known, sizeof newer));
  EXPECT(RETICLE_OK, decode(NULL, &newer.known));
  newer.unknown = 1;
  EXPECT(RETICLE_UNKNOWN_SETTING, decode(NULL, &newer.known));
}

static void results(void) {
  reticle_symbol symbol;
  reticle_segment segment;
  reticle_located located;
  reticle_text text;
  char buffer[16];
  EXPECT(RETICLE_OK, decode(NULL, NULL));
  EXPECT(RETICLE_NO_SUCH_RESULT, reticle_get_symbol(workspace, 0, &symbol, sizeof symbol));
  EXPECT(RETICLE_NO_SUCH_RESULT, reticle_get_symbol(workspace, SIZE_MAX, &symbol, sizeof symbol));
  EXPECT(RETICLE_NO_SUCH_RESULT, reticle_get_segment(workspace, 0, 0, &segment, sizeof segment));
  EXPECT(RETICLE_NO_SUCH_RESULT, reticle_get_located(workspace, 0, &located, sizeof located));
  EXPECT(RETICLE_NO_SUCH_RESULT, reticle_get_text(workspace, 0, buffer, sizeof buffer, &text, sizeof text));
  EXPECT(RETICLE_NULL_ARGUMENT, reticle_get_text(workspace, 0, NULL, 1, &text, sizeof text));
  EXPECT(RETICLE_NULL_ARGUMENT, reticle_get_text(workspace, 0, buffer, sizeof buffer, NULL, sizeof text));
  EXPECT(RETICLE_NULL_ARGUMENT, reticle_get_symbol(NULL, 0, &symbol, sizeof symbol));
  EXPECT(RETICLE_NULL_ARGUMENT, reticle_get_symbol(workspace, 0, NULL, sizeof symbol));
  EXPECT(RETICLE_NULL_ARGUMENT, reticle_get_segment(NULL, 0, 0, &segment, sizeof segment));
  EXPECT(RETICLE_NULL_ARGUMENT, reticle_get_located(NULL, 0, &located, sizeof located));
}

int main(int argc, char **argv) {
  if (reticle_abi_version() != RETICLE_ABI_VERSION || argc != 2 || strcmp(reticle_version(), argv[1]) != 0) {
    printf("libreticle %s of ABI %u is not the one that is asked for\n", reticle_version(), reticle_abi_version());
    return 1;
  }
  memset(luma, 255, sizeof luma);
  texts();
  symbologies();
  workspaces();
  pictures();
  all_settings();
  results();
  free(memory);
  printf("%d refusals, %d failures\n", refusal_count, failure_count);
  return failure_count > 0;
}
