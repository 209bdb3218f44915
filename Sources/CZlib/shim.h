#pragma once
#include <zlib.h>

/* deflateInit2 and inflateInit2 are macros. A negative window means raw deflate, as RFC 7692 has it. */
static inline int rex_deflate_begin(z_stream *stream) {
    return deflateInit2(stream, Z_BEST_SPEED, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY);
}
static inline int rex_inflate_begin(z_stream *stream) { return inflateInit2(stream, -15); }
