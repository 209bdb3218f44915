#pragma once
#include <http_parser.h>

/* A bit field and a macro that Swift cannot import. */
static inline int rex_http_error(const http_parser *parser) { return parser->http_errno; }
static inline const char *rex_http_method(const http_parser *parser) {
    return http_method_str((enum http_method)parser->method);
}
