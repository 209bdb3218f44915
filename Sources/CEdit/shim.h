#pragma once
#include <histedit.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>

/* Swift cannot call variadic functions; these name the few forms that are needed. */

static inline EditLine *rex_edit_open(const char *program) {
    return el_init(program, stdin, stdout, stderr);
}

static inline void rex_edit_set_prompt(EditLine *edit, char *(*prompt)(EditLine *)) {
    el_set(edit, EL_PROMPT, prompt);
}

static inline void rex_edit_set_editor(EditLine *edit, const char *name) {
    el_set(edit, EL_EDITOR, name);
}

static inline void rex_edit_set_signal(EditLine *edit, int handles) {
    el_set(edit, EL_SIGNAL, handles);
}

static inline void rex_edit_use_history(EditLine *edit, History *past) {
    el_set(edit, EL_HIST, history, past);
}

static inline void rex_edit_complete_with(
    EditLine *edit, unsigned char (*complete)(EditLine *, int)) {
    el_set(edit, EL_ADDFN, "rex-complete", "complete a word", complete);
    el_set(edit, EL_BIND, "^I", "rex-complete", NULL);
}

static inline void rex_edit_read_with(EditLine *edit, int (*read)(EditLine *, wchar_t *)) {
    el_set(edit, EL_GETCFN, read);
}

static inline void rex_edit_refresh(EditLine *edit) { el_set(edit, EL_REFRESH); }

static inline void rex_edit_keep(EditLine *edit, void *owner) {
    el_set(edit, EL_CLIENTDATA, owner);
}

static inline void *rex_edit_owner(EditLine *edit) {
    void *owner = NULL;
    el_get(edit, EL_CLIENTDATA, &owner);
    return owner;
}

static inline int rex_history_set_size(History *past, int size) {
    HistEvent event;
    return history(past, &event, H_SETSIZE, size) | history(past, &event, H_SETUNIQUE, 1);
}

static inline int rex_history_enter(History *past, const char *line) {
    HistEvent event;
    return history(past, &event, H_ENTER, line);
}

static inline int rex_history_load(History *past, const char *path) {
    HistEvent event;
    return history(past, &event, H_LOAD, path);
}

static inline int rex_history_save(History *past, const char *path) {
    HistEvent event;
    return history(past, &event, H_SAVE, path);
}

/* A terminal's settings, as they were before raw mode. */
typedef struct {
    struct termios settings;
} rex_terminal_mode;

static inline int rex_terminal_save(int descriptor, rex_terminal_mode *mode) {
    return tcgetattr(descriptor, &mode->settings);
}

/* Each key at once, no echo, no signals from keys; output stays as it is. 0 on success. */
static inline int rex_terminal_raw(int descriptor, const rex_terminal_mode *before) {
    struct termios raw = before->settings;
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO | ISIG | IEXTEN);
    raw.c_iflag &= ~(tcflag_t)(IXON | ICRNL | INLCR);
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    return tcsetattr(descriptor, TCSADRAIN, &raw);
}

static inline int rex_terminal_restore(int descriptor, const rex_terminal_mode *before) {
    return tcsetattr(descriptor, TCSADRAIN, &before->settings);
}

/* Columns of the window; 0 where it does not say. */
static inline int rex_terminal_columns(int descriptor) {
    struct winsize size;
    memset(&size, 0, sizeof size);
    if (ioctl(descriptor, TIOCGWINSZ, &size) != 0) return 0;
    return size.ws_col;
}
