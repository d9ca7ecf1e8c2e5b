#include "CLibdrm.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <xf86drm.h>
#include <xf86drmMode.h>

int clibdrm_open(const char *path, int *card) {
  int descriptor = open(path, O_RDWR | O_CLOEXEC);
  if (descriptor < 0) return -errno;
  if (drmSetClientCap(descriptor, DRM_CLIENT_CAP_UNIVERSAL_PLANES, 1) || drmSetClientCap(descriptor, DRM_CLIENT_CAP_ATOMIC, 1)) {
    close(descriptor);
    return -EOPNOTSUPP;
  }
  *card = descriptor;
  return 0;
}

void clibdrm_close(int card) { close(card); }

int clibdrm_is_master(int card) { return drmIsMaster(card); }

int clibdrm_set_master(int card) { return drmSetMaster(card) ? -errno : 0; }

int clibdrm_drop_master(int card) { return drmDropMaster(card) ? -errno : 0; }

int clibdrm_connectors(int card, clibdrm_connector *connectors, size_t capacity, size_t *count) {
  drmModeRes *resources = drmModeGetResources(card);
  if (!resources) return -errno;
  *count = 0;
  for (int i = 0; i < resources->count_connectors; i++) {
    drmModeConnector *connector = drmModeGetConnector(card, resources->connectors[i]);
    if (!connector) continue;
    if (connector->connector_type != DRM_MODE_CONNECTOR_WRITEBACK && *count < capacity) {
      clibdrm_connector *out = &connectors[*count];
      const char *type = drmModeGetConnectorTypeName(connector->connector_type);
      out->id = connector->connector_id;
      snprintf(out->name, sizeof out->name, "%s-%u", type ? type : "Unknown", connector->connector_type_id);
      out->is_connected = connector->connection == DRM_MODE_CONNECTED && connector->count_modes > 0;
      out->width_mm = connector->mmWidth;
      out->height_mm = connector->mmHeight;
      *count += 1;
    }
    drmModeFreeConnector(connector);
  }
  drmModeFreeResources(resources);
  return 0;
}

_Static_assert(sizeof(struct drm_mode_modeinfo) == sizeof(((clibdrm_mode *)0)->info), "the kernel's mode has another size");

int clibdrm_modes(int card, uint32_t connector_id, clibdrm_mode *modes, size_t capacity, size_t *count) {
  drmModeConnector *connector = drmModeGetConnectorCurrent(card, connector_id);
  if (!connector) return -errno;
  *count = 0;
  for (int i = 0; i < connector->count_modes && *count < capacity; i++) {
    const drmModeModeInfo *mode = &connector->modes[i];
    clibdrm_mode *out = &modes[*count];
    uint64_t total = (uint64_t)mode->htotal * mode->vtotal;
    out->width = mode->hdisplay;
    out->height = mode->vdisplay;
    out->refresh_mhz = total ? (uint32_t)(mode->clock * 1000000ull / total) : mode->vrefresh * 1000;
    out->is_preferred = (mode->type & DRM_MODE_TYPE_PREFERRED) != 0;
    memcpy(out->info, mode, sizeof out->info);
    *count += 1;
  }
  drmModeFreeConnector(connector);
  return 0;
}

int clibdrm_crtc(int card, uint32_t connector_id, uint32_t *crtc, uint32_t *index) {
  drmModeRes *resources = drmModeGetResources(card);
  if (!resources) return -errno;
  drmModeConnector *connector = drmModeGetConnectorCurrent(card, connector_id);
  int result = -ENODEV;
  for (int e = 0; connector && result && e < connector->count_encoders; e++) {
    drmModeEncoder *encoder = drmModeGetEncoder(card, connector->encoders[e]);
    if (!encoder) continue;
    for (int pass = 0; pass < 2 && result; pass++) {
      for (int i = 0; i < resources->count_crtcs && result; i++) {
        if (!(encoder->possible_crtcs & 1u << i)) continue;
        if (pass == 0 && encoder->crtc_id != resources->crtcs[i]) continue;
        *crtc = resources->crtcs[i];
        *index = (uint32_t)i;
        result = 0;
      }
    }
    drmModeFreeEncoder(encoder);
  }
  if (connector) drmModeFreeConnector(connector);
  drmModeFreeResources(resources);
  return result;
}

int clibdrm_planes(int card, uint32_t crtc_index, clibdrm_plane *planes, size_t capacity, size_t *count) {
  drmModePlaneRes *resources = drmModeGetPlaneResources(card);
  if (!resources) return -errno;
  *count = 0;
  for (uint32_t i = 0; i < resources->count_planes && *count < capacity; i++) {
    drmModePlane *plane = drmModeGetPlane(card, resources->planes[i]);
    clibdrm_property type;
    if (!plane) continue;
    if (plane->possible_crtcs & 1u << crtc_index
        && !clibdrm_get_property(card, plane->plane_id, CLIBDRM_PLANE, "type", &type)) {
      clibdrm_plane *out = &planes[*count];
      out->id = plane->plane_id;
      out->type = (int)type.value;
      out->format_count = plane->count_formats < CLIBDRM_FORMATS_MAX ? plane->count_formats : CLIBDRM_FORMATS_MAX;
      memcpy(out->formats, plane->formats, out->format_count * sizeof *out->formats);
      *count += 1;
    }
    drmModeFreePlane(plane);
  }
  drmModeFreePlaneResources(resources);
  return 0;
}

int clibdrm_get_property(int card, uint32_t object, uint32_t object_type, const char *name, clibdrm_property *property) {
  drmModeObjectProperties *all = drmModeObjectGetProperties(card, object, object_type);
  if (!all) return -errno;
  int result = -ENOENT;
  for (uint32_t i = 0; i < all->count_props && result; i++) {
    drmModePropertyRes *one = drmModeGetProperty(card, all->props[i]);
    if (!one) continue;
    if (!strcmp(one->name, name)) {
      property->id = one->prop_id;
      property->value = all->prop_values[i];
      property->is_immutable = (one->flags & DRM_MODE_PROP_IMMUTABLE) != 0;
      result = 0;
    }
    drmModeFreeProperty(one);
  }
  drmModeFreeObjectProperties(all);
  return result;
}

int clibdrm_named_value(int card, uint32_t property, const char *name, uint64_t *value) {
  drmModePropertyRes *one = drmModeGetProperty(card, property);
  if (!one) return -errno;
  int result = -ENOENT;
  for (int i = 0; i < one->count_enums && result; i++) {
    if (strcmp(one->enums[i].name, name)) continue;
    *value = one->enums[i].value;
    result = 0;
  }
  drmModeFreeProperty(one);
  return result;
}

int clibdrm_blob(int card, const void *bytes, size_t size, uint32_t *blob) {
  return drmModeCreatePropertyBlob(card, bytes, size, blob) ? -errno : 0;
}

void clibdrm_blob_free(int card, uint32_t blob) { drmModeDestroyPropertyBlob(card, blob); }
