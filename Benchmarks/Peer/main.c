// The physical limit beside which Rex is measured: a line server on plain libuv that does nothing but move
// bytes. A line that begins with {"op":"listen" or {"op":"subscribe" makes its connection a follower and is
// answered; one that begins with {"op":"publish" goes to every follower, all lines of one read in one
// write; any other line is answered by a fixed ack, all acks of one read in one write.
//
//     uv-peer       prints the port that it listens on at 127.0.0.1, until it is killed
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

typedef struct chunk {
    int users;
    size_t length;
    char bytes[];
} chunk;

typedef struct peer {
    uv_tcp_t tcp;
    struct peer *next, *previous;  // among the followers
    char *held;                    // the piece of a line that has not ended
    size_t held_length;
    int follows, closing;
} peer;

typedef struct {
    uv_write_t request;
    chunk *data;
} pending;

static uv_loop_t *loop;
static peer followers;
static char input[1 << 19];

static void release(chunk *c) {
    if (--c->users == 0) free(c);
}

static void did_close(uv_handle_t *handle) {
    peer *p = handle->data;
    free(p->held);
    free(p);
}

static void drop(peer *p) {
    if (p->closing) return;
    p->closing = 1;
    if (p->follows) {
        p->next->previous = p->previous;
        p->previous->next = p->next;
    }
    uv_close((uv_handle_t *)&p->tcp, did_close);
}

static void did_write(uv_write_t *request, int status) {
    pending *w = (pending *)request;
    (void)status;
    release(w->data);
    free(w);
}

static void send_chunk(peer *p, chunk *c) {
    if (p->closing) return;
    uv_buf_t buffer = uv_buf_init(c->bytes, (unsigned)c->length);
    int taken = uv_try_write((uv_stream_t *)&p->tcp, &buffer, 1);
    if (taken == (int)c->length) return;
    if (taken < 0 && taken != UV_EAGAIN) {
        drop(p);
        return;
    }
    size_t offset = taken > 0 ? (size_t)taken : 0;
    pending *w = malloc(sizeof *w);
    w->data = c;
    c->users++;
    buffer = uv_buf_init(c->bytes + offset, (unsigned)(c->length - offset));
    if (uv_write(&w->request, (uv_stream_t *)&p->tcp, &buffer, 1, did_write) != 0) {
        release(c);
        free(w);
        drop(p);
    }
}

static chunk *new_chunk(size_t capacity) {
    chunk *c = malloc(sizeof *c + capacity);
    c->users = 1;
    c->length = 0;
    return c;
}

static void append(chunk *c, const char *bytes, size_t length) {
    memcpy(c->bytes + c->length, bytes, length);
    c->length += length;
}

static int begins(const char *line, size_t length, const char *head) {
    size_t n = strlen(head);
    return length >= n && memcmp(line, head, n) == 0;
}

static size_t take_lines(peer *p, const char *bytes, size_t length) {
    static const char ack[] = "{\"op\":\"ack\",\"id\":1,\"store\":\"counter\",\"rev\":123456}\n";
    chunk *events = NULL, *acks = NULL;
    size_t at = 0;
    while (at < length) {
        const char *end = memchr(bytes + at, '\n', length - at);
        if (end == NULL) break;
        size_t size = (size_t)(end - (bytes + at)) + 1;
        if (begins(bytes + at, size, "{\"op\":\"publish\"")) {
            if (events == NULL) events = new_chunk(length);
            append(events, bytes + at, size);
        } else {
            if (!p->follows && (begins(bytes + at, size, "{\"op\":\"listen\"") ||
                                begins(bytes + at, size, "{\"op\":\"subscribe\""))) {
                p->follows = 1;
                p->next = followers.next;
                p->previous = &followers;
                followers.next->previous = p;
                followers.next = p;
            }
            // A line may be its line feed alone; memory that is not written to costs nothing.
            if (acks == NULL) acks = new_chunk(length * sizeof ack);
            append(acks, ack, sizeof ack - 1);
        }
        at += size;
    }
    if (events != NULL) {
        for (peer *f = followers.next, *next; f != &followers; f = next) {
            next = f->next;
            send_chunk(f, events);
        }
        release(events);
    }
    if (acks != NULL) {
        send_chunk(p, acks);
        release(acks);
    }
    return at;
}

static void give_buffer(uv_handle_t *handle, size_t wanted, uv_buf_t *buffer) {
    peer *p = handle->data;
    (void)wanted;
    memcpy(input, p->held, p->held_length);
    *buffer = uv_buf_init(input + p->held_length, (unsigned)(sizeof input / 2));
}

static void did_read(uv_stream_t *stream, ssize_t count, const uv_buf_t *buffer) {
    peer *p = stream->data;
    (void)buffer;
    if (count == 0) return;
    if (count < 0) {
        drop(p);
        return;
    }
    size_t length = p->held_length + (size_t)count;
    size_t used = take_lines(p, input, length);
    if (p->closing) return;
    size_t left = length - used;
    if (left > sizeof input / 2) {
        drop(p);
        return;
    }
    if (left > 0) {
        p->held = realloc(p->held, left);
        memcpy(p->held, input + used, left);
    }
    p->held_length = left;
}

static void did_arrive(uv_stream_t *listener, int status) {
    if (status < 0) return;
    peer *p = calloc(1, sizeof *p);
    uv_tcp_init(loop, &p->tcp);
    p->tcp.data = p;
    if (uv_accept(listener, (uv_stream_t *)&p->tcp) != 0) {
        drop(p);
        return;
    }
    uv_tcp_nodelay(&p->tcp, 1);
    uv_read_start((uv_stream_t *)&p->tcp, give_buffer, did_read);
}

int main(void) {
    loop = uv_default_loop();
    followers.next = followers.previous = &followers;
    uv_tcp_t listener;
    uv_tcp_init(loop, &listener);
    struct sockaddr_in address;
    uv_ip4_addr("127.0.0.1", 0, &address);
    int status = uv_tcp_bind(&listener, (const struct sockaddr *)&address, 0);
    if (status == 0) status = uv_listen((uv_stream_t *)&listener, 4096, did_arrive);
    if (status != 0) {
        fprintf(stderr, "uv-peer: %s\n", uv_strerror(status));
        return 1;
    }
    int length = sizeof address;
    uv_tcp_getsockname(&listener, (struct sockaddr *)&address, &length);
    printf("%d\n", ntohs(address.sin_port));
    fflush(stdout);
    return uv_run(loop, UV_RUN_DEFAULT);
}
