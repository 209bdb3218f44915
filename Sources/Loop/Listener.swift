import CUV
import Glibc

/// A listening socket: hands on each connection that arrives.
///
/// Where there is no room for another, or the process is about to run out of descriptors, it takes
/// none: those that come wait in the kernel's queue, and it looks again every `pause`. So the loop
/// does not spin on a connection that it cannot take (EMFILE), and none is dropped.
public final class Listener {
    /// Where it listens in fact: the port that the system chose where 0 was asked for.
    public let endpoint: Endpoint

    /// Connections the kernel keeps waiting for us.
    static let backlog: Int32 = 4096

    /// Descriptors that connections leave to the rest of the process: files, lookups.
    static let spareDescriptors: Int32 = 8

    /// How long it takes no connection before it looks for room again.
    static let pause: Duration = .milliseconds(100)

    private let core: Core
    private let loop: Loop

    /// Whether the owner has room for one more; asked for each connection.
    public var hasRoom: () -> Bool {
        get { core.hasRoom }
        set { core.hasRoom = newValue }
    }

    /// Called each time that connections begin to wait, with the reason in words.
    public var onFull: (String) -> Void {
        get { core.onFull }
        set { core.onFull = newValue }
    }

    private final class Core: LoopHandle {
        var accepted: ((Socket) -> Void)?
        var accept: (() -> Socket?)?
        var hasRoom: () -> Bool = { true }
        var onFull: (String) -> Void = { _ in }
        var retry: LoopTimer?
        /// Connections wait: one was announced and not taken, and libuv asks for no more.
        var isFull = false

        /// libuv has accepted one, whose descriptor is the lowest that was free.
        func arrive() {
            let bound = Descriptors.limit - Listener.spareDescriptors
            if !hasRoom() {
                wait("no room for another connection")
            } else if stream.pointee.accepted_fd >= bound {
                wait("only \(Listener.spareDescriptors) descriptors are left")
            } else {
                take()
            }
        }

        private func wait(_ reason: String) {
            isFull = true
            retry?.arm(after: Listener.pause)
            onFull(reason)
        }

        func lookForRoom() {
            guard isFull, !isClosing else { return }
            guard hasRoom(), Descriptors.lowestFree < Descriptors.limit - Listener.spareDescriptors
            else {
                retry?.arm(after: Listener.pause)
                return
            }
            isFull = false
            take()
        }

        private func take() {
            if let socket = accept?() { accepted?(socket) }
        }

        var stream: UnsafeMutablePointer<uv_stream_t> {
            UnsafeMutableRawPointer(handle).assumingMemoryBound(to: uv_stream_t.self)
        }
        override func didClose() {
            accepted = nil
            accept = nil
            hasRoom = { false }
            onFull = { _ in }
            retry?.close()
            retry = nil
        }
    }

    /// Listens at `endpoint`.
    ///
    /// A Unix socket file that nobody answers on any more is replaced; one that is in use is not,
    /// nor any other file.
    /// - Parameter accepted: called on the loop's thread; the socket is open and does not read yet.
    public convenience init(
        _ endpoint: Endpoint, on loop: Loop, accepted: @escaping (Socket) -> Void
    ) throws(LoopError) {
        let core = Core(
            bytes: max(MemoryLayout<uv_tcp_t>.size, MemoryLayout<uv_pipe_t>.size), on: loop)
        let kind = Self.open(core, endpoint.kind, on: loop)
        do throws(LoopError) {
            switch endpoint {
            case .tcp:
                let status = try endpoint.withAddress(on: loop, "listen on") {
                    uv_tcp_bind(core.tcp, $0, 0)
                }
                try check(status, "listen on", endpoint.description)
            case .unix(let path):
                Self.removeStale(path)
                var status = uv_pipe_bind(core.pipe, path)
                // libuv says "permission denied" for a folder that is not there.
                if status == UV_EACCES.rawValue, !Self.folderExists(of: path) {
                    status = UV_ENOENT.rawValue
                }
                try check(status, "listen on", endpoint.description)
            }
        } catch {
            core.closeHandle()
            throw error
        }
        try self.init(core, kind, endpoint, on: loop, accepted: accepted)
    }

    /// Takes over a descriptor that listens already (socket activation).
    public convenience init(
        descriptor: Int32, on loop: Loop, accepted: @escaping (Socket) -> Void
    ) throws(LoopError) {
        let core = Core(
            bytes: max(MemoryLayout<uv_tcp_t>.size, MemoryLayout<uv_pipe_t>.size), on: loop)
        let kind: Socket.Kind = rex_socket_family(descriptor) == AF_UNIX ? .unix : .tcp
        Self.open(core, kind, on: loop)
        let status =
            kind == .unix ? uv_pipe_open(core.pipe, descriptor) : uv_tcp_open(core.tcp, descriptor)
        if status < 0 {
            core.closeHandle()
            throw LoopError("listen on", "descriptor \(descriptor)", code: status)
        }
        try self.init(
            core, kind, kind == .unix ? .unix(path: core.pipeName) : .tcp(host: "*", port: 0),
            on: loop, accepted: accepted)
    }

    private init(
        _ core: Core, _ kind: Socket.Kind, _ endpoint: Endpoint, on loop: Loop,
        accepted: @escaping (Socket) -> Void
    ) throws(LoopError) {
        self.core = core
        self.loop = loop
        core.accepted = accepted
        core.accept = { [unowned loop, unowned core] in
            let socket = Socket(kind, on: loop)
            guard uv_accept(core.stream, socket.stream) == 0 else {
                socket.close()
                return nil
            }
            socket.setNoDelay()
            socket.setKeepAlive()
            return socket
        }
        core.retry = LoopTimer(on: loop) { [unowned core] in core.lookForRoom() }
        let status = uv_listen(core.stream, Self.backlog) { stream, status in
            guard status == 0 else { return }
            LoopHandle.of(stream!.pointee.data, as: Core.self).arrive()
        }
        guard status == 0 else {
            core.closeHandle()
            throw LoopError("listen on", endpoint.description, code: status)
        }
        self.endpoint = kind == .tcp ? core.boundAddress : endpoint
    }

    @discardableResult
    private static func open(_ core: Core, _ kind: Socket.Kind, on loop: Loop) -> Socket.Kind {
        switch kind {
        case .tcp: uv_tcp_init(loop.uv, core.tcp)
        case .unix: uv_pipe_init(loop.uv, core.pipe, 0)
        }
        core.adopt()
        return kind
    }

    private static func folderExists(of path: String) -> Bool {
        guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return true }
        return access(String(path[..<slash]), F_OK) == 0
    }

    /// Removes a socket file that nobody listens on.
    private static func removeStale(_ path: String) {
        // What is no socket refuses connections too.
        var file = stat()
        guard lstat(path, &file) == 0, file.st_mode & S_IFMT == S_IFSOCK else { return }
        let probe = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard probe >= 0 else { return }
        defer { Glibc.close(probe) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(107)) }
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(probe, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        if status != 0, errno == ECONNREFUSED { unlink(path) }
    }

    /// Connections that stand and wait in the kernel to be accepted; nil where it does not say.
    public var waiting: Int? {
        var descriptor: uv_os_fd_t = -1
        guard !core.isClosing, uv_fileno(core.handle, &descriptor) == 0 else { return nil }
        // `struct tcp_info` of the kernel: eight bytes, then words, of which the fifth is the
        // length of the queue where the socket listens.
        var words = [UInt32](repeating: 0, count: 7)
        let bytes = socklen_t(words.count * MemoryLayout<UInt32>.size)
        var size = bytes
        let status = getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_INFO, &words, &size)
        return status == 0 && size == bytes ? Int(words[6]) : nil
    }

    /// Accepts no more. A Unix socket's file is removed.
    public func close() { core.closeHandle() }

    deinit { core.abandon() }
}

extension Endpoint {
    fileprivate var kind: Socket.Kind {
        if case .unix = self { .unix } else { .tcp }
    }
}

extension LoopHandle {
    fileprivate var tcp: UnsafeMutablePointer<uv_tcp_t> {
        UnsafeMutableRawPointer(handle).assumingMemoryBound(to: uv_tcp_t.self)
    }

    fileprivate var pipe: UnsafeMutablePointer<uv_pipe_t> {
        UnsafeMutableRawPointer(handle).assumingMemoryBound(to: uv_pipe_t.self)
    }

    fileprivate var boundAddress: Endpoint {
        var storage = sockaddr_storage()
        var length = Int32(MemoryLayout<sockaddr_storage>.size)
        withUnsafeMutablePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = uv_tcp_getsockname(tcp, $0, &length)
            }
        }
        return .tcp(storage)
    }

    fileprivate var pipeName: String {
        var buffer = [CChar](repeating: 0, count: 256)
        var size = buffer.count - 1
        guard uv_pipe_getsockname(pipe, &buffer, &size) == 0 else { return "?" }
        return String(
            decoding: buffer.prefix(size).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
