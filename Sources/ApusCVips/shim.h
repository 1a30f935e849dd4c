// SPDX-License-Identifier: Apache-2.0
#ifndef APUS_CVIPS_SHIM_H
#define APUS_CVIPS_SHIM_H

#include <vips/vips.h>

#include <vips/vector.h>

// Every function of the library that works on pictures is variadic, which Swift cannot call.

/// Starts the library without its loaders for untrusted kinds, without threads and without a cache.
static inline int apus_vips_start(void) {
    g_setenv("VIPS_NOVECTOR", "1", TRUE);
    if (vips_init("apus-image") != 0) return -1;
    vips_block_untrusted_set(TRUE);
    vips_concurrency_set(1);
    vips_cache_set_max(0);
    vips_vector_set_enabled(FALSE);
    return 0;
}

/// The measures that the headers tell; nothing is decoded.
static inline int apus_vips_measure(const void *bytes, size_t count, int *width, int *height, int *frames) {
    VipsImage *image = vips_image_new_from_buffer(bytes, count, "", "access", VIPS_ACCESS_SEQUENTIAL, NULL);
    if (image == NULL) return -1;
    *width = vips_image_get_width(image);
    *height = vips_image_get_height(image);
    *frames = vips_image_get_n_pages(image);
    g_object_unref(image);
    return 0;
}

// What a picture says besides its pixels: where and with what it was taken, whom it shows.
static inline void *apus_vips_collect(VipsImage *image, const char *name, GValue *value, void *names) {
    (void)image;
    (void)value;
    const char *told[] = { "exif-", "xmp-", "iptc-", "icc-", "png-comment-", "gif-comment", "jpeg-thumbnail-data",
                           "orientation", "photoshop-data", "heif-", "webp-" };
    for (size_t i = 0; i < sizeof told / sizeof told[0]; i++) {
        if (g_str_has_prefix(name, told[i])) g_ptr_array_add((GPtrArray *)names, g_strdup(name));
    }
    return NULL;
}

/// Decodes the first frame, turned upright, no larger than the box and never enlarged, in sRGB, and encodes it without
/// anything but its pixels: as JPEG, or as PNG where it has transparent parts and those are wanted.
///
/// The result is to be freed with g_free.
static inline int apus_vips_render(
    const void *bytes, size_t count, int box, int quality, int keeps_alpha, void **result, size_t *length, int *width,
    int *height, int *is_png
) {
    VipsImage *small = NULL, *flat = NULL, *bare = NULL;
    int status = -1;
    // A truncated file is refused, which the loader's own option alone does not do.
    if (vips_thumbnail_buffer(
            (void *)bytes, count, &small, box, "height", box, "size", VIPS_SIZE_DOWN, "export_profile", "srgb",
            "option_string", "fail_on=truncated", NULL) != 0)
        return -1;
    int has_alpha = vips_image_hasalpha(small);
    *is_png = has_alpha && keeps_alpha;
    if (has_alpha && !keeps_alpha) {
        double white[] = { 255, 255, 255 };
        VipsArrayDouble *background = vips_array_double_new(white, 3);
        status = vips_flatten(small, &flat, "background", background, NULL);
        vips_area_unref(VIPS_AREA(background));
        if (status != 0) goto end;
        g_object_unref(small);
        small = flat;
    }
    status = vips_copy(small, &bare, NULL);
    if (status != 0) goto end;
    GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
    vips_image_map(bare, apus_vips_collect, names);
    for (guint i = 0; i < names->len; i++) vips_image_remove(bare, (const char *)g_ptr_array_index(names, i));
    g_ptr_array_free(names, TRUE);
    *width = vips_image_get_width(bare);
    *height = vips_image_get_height(bare);
    status = *is_png ? vips_pngsave_buffer(bare, result, length, "strip", TRUE, "compression", 6, NULL)
                     : vips_jpegsave_buffer(bare, result, length, "strip", TRUE, "Q", quality, NULL);
    g_object_unref(bare);
end:
    g_object_unref(small);
    return status;
}

/// The pixels of the first frame in shades of grey, one byte each and row after row, turned upright and no larger than
/// the box.
///
/// The result is to be freed with g_free.
static inline int apus_vips_gray(
    const void *bytes, size_t count, int box, void **pixels, size_t *length, int *width, int *height
) {
    VipsImage *small = NULL, *flat = NULL, *gray = NULL, *whole = NULL;
    int status = -1;
    if (vips_thumbnail_buffer(
            (void *)bytes, count, &small, box, "height", box, "size", VIPS_SIZE_DOWN, "option_string",
            "fail_on=truncated", NULL) != 0)
        return -1;
    if (vips_image_hasalpha(small)) {
        double white[] = { 255, 255, 255 };
        VipsArrayDouble *background = vips_array_double_new(white, 3);
        status = vips_flatten(small, &flat, "background", background, NULL);
        vips_area_unref(VIPS_AREA(background));
        if (status != 0) goto end;
        g_object_unref(small);
        small = flat;
    }
    status = vips_colourspace(small, &gray, VIPS_INTERPRETATION_B_W, NULL);
    if (status != 0) goto end;
    status = vips_cast_uchar(gray, &whole, NULL);
    g_object_unref(gray);
    if (status != 0) goto end;
    *width = vips_image_get_width(whole);
    *height = vips_image_get_height(whole);
    *pixels = vips_image_get_bands(whole) == 1 ? vips_image_write_to_memory(whole, length) : NULL;
    status = *pixels == NULL ? -1 : 0;
    g_object_unref(whole);
end:
    g_object_unref(small);
    return status;
}

static inline void apus_vips_free(void *bytes) { g_free(bytes); }

#endif
