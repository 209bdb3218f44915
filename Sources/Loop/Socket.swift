import CUV
import Glibc

/// Who hears of a socket. All of it is called on the loop's thread, `socketDidClose` last and once.
public protocol SocketOwner: AnyObject {
    /// Bytes arrived; they are good during the call only.
    func socket(_ socket: Socket, didRead bytes: UnsafeRawBufferPointer)
    /// The other side ended its sending half; ours still works.
    func socketDidEnd(_ socket: Socket)
    /// What `writeLater` was given has left.
    func socketDidDrain(_ socket: Socket)
    /// A connection that was asked for stands.
    func socketDidConnect(_ socket: Socket)
    /// The cipher that it was given is open.
    func socketDidSecure(_ socket: Socket)
    /// The socket is gone, with the reason when it was not our own `close`.
    func socketDidClose(_ socket: Socket, error: LoopError?)
}

extension SocketOwner {
    /// Nothing, for owners of sockets that were accepted.
    public func socketDidConnect(_ socket: Socket) {}
    /// Nothing, for owners that need not know.
    public func socketDidSecure(_ socket: Socket) {}
}

/// One stream socket (TCP or Unix) on the loop.
///
/// The loop keeps it alive until it is closed. Every operation on a closing socket does nothing, so
/// no handle is used after its end. Used on the loop's thread only.
public final class Socket {
    /// Hears what happens; set before `startReading`. Kept until the socket is closed, as every
    /// socket is at the latest when its loop ends: a weak reference would make each use of the
    /// owner, everywhere, a slow one.
    public var owner: (any SocketOwner)?

    private let core: Core
    private unowned let loop: Loop
    private var failure: LoopError?
    /// Between the wire and the owner, where there is one.
    private var cipher: (any SocketCipher)?
    private var hasSecured = false

    final class Core: LoopHandle {
        var socket: Socket?
        override func closeHandle() {
            socket?.isClosing = true
            super.closeHandle()
        }
        var stream: UnsafeMutablePointer<uv_stream_t> {
            UnsafeMutableRawPointer(handle).assumingMemoryBound(to: uv_stream_t.self)
        }
        override func didClose() {
            guard let socket else { return }
            self.socket = nil
            let owner = socket.owner
            socket.owner = nil
            owner?.socketDidClose(socket, error: socket.failure)
        }
    }

    /// An unconnected socket of the endpoint's kind.
    init(_ kind: Kind, on loop: Loop) {
        self.loop = loop
        self.kind = kind
        let size = max(MemoryLayout<uv_tcp_t>.size, MemoryLayout<uv_pipe_t>.size)
        core = Core(bytes: size, on: loop)
        let raw = UnsafeMutableRawPointer(core.handle)
        switch kind {
        case .tcp: uv_tcp_init(loop.uv, raw.assumingMemoryBound(to: uv_tcp_t.self))
        case .unix: uv_pipe_init(loop.uv, raw.assumingMemoryBound(to: uv_pipe_t.self), 0)
        }
        core.adopt()
        core.socket = self
    }

    enum Kind { case tcp, unix }
    private let kind: Kind
    var stream: UnsafeMutablePointer<uv_stream_t> { core.stream }

    /// True from the first `close` on, whoever called it.
    public private(set) var isClosing = false

    /// The number of the system's user at the other end of a Unix socket, as it was when that
    /// connected; nil for others.
    public private(set) lazy var peerUser: UInt32? = {
        guard kind == .unix, !isClosing, descriptor >= 0 else { return nil }
        // `struct ucred` of the kernel: process, user, group.
        var credentials: [UInt32] = [0, 0, 0]
        let bytes = socklen_t(3 * MemoryLayout<UInt32>.size)
        var size = bytes
        let status = getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &size)
        return status == 0 && size == bytes ? credentials[1] : nil
    }()

    /// The address at the other end; `unix` sockets have none to speak of.
    public private(set) lazy var peer: String = {
        guard kind == .tcp else { return "unix" }
        return peerAddress.map { Endpoint.tcp($0).description } ?? "unknown"
    }()

    /// Where the other end is, as far as one host has that to itself; nil for Unix sockets.
    public private(set) lazy var network: PeerNetwork? = peerAddress.flatMap { PeerNetwork($0) }

    private lazy var peerAddress: sockaddr_storage? = {
        guard kind == .tcp, !isClosing else { return nil }
        var storage = sockaddr_storage()
        var length = Int32(MemoryLayout<sockaddr_storage>.size)
        let status = withUnsafeMutablePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                uv_tcp_getpeername(
                    UnsafeMutableRawPointer(core.handle).assumingMemoryBound(to: uv_tcp_t.self), $0,
                    &length)
            }
        }
        return status == 0 ? storage : nil
    }()

    /// Small frames leave at once: without this the 99th percentile of a request is 42 ms, with it
    /// 1 ms.
    func setNoDelay() {
        guard kind == .tcp else { return }
        uv_tcp_nodelay(
            UnsafeMutableRawPointer(core.handle).assumingMemoryBound(to: uv_tcp_t.self), 1)
    }

    /// Seconds of silence after which the kernel asks whether the other host is still there.
    private static let keepAliveSeconds: UInt32 = 60

    /// A host that is gone without a word is noticed: the socket then closes with an error.
    func setKeepAlive() {
        guard kind == .tcp, !isClosing else { return }
        uv_tcp_keepalive(
            UnsafeMutableRawPointer(core.handle).assumingMemoryBound(to: uv_tcp_t.self), 1,
            Self.keepAliveSeconds)
    }

    // MARK: Reading

    /// Starts or resumes reading.
    public func startReading() {
        guard !isClosing else { return }
        uv_read_start(
            stream,
            { handle, _, buffer in
                let socket = LoopHandle.of(handle!.pointee.data, as: Core.self).socket!
                let memory = socket.loop.readBuffer
                buffer!.pointee = uv_buf_init(
                    memory.baseAddress!.assumingMemoryBound(to: CChar.self), UInt32(memory.count))
            },
            { stream, count, buffer in
                let socket = LoopHandle.of(stream!.pointee.data, as: Core.self).socket!
                socket.didRead(count, buffer!.pointee.base)
            })
    }

    /// Reads no more until `startReading`: what arrives waits in the kernel, then at the sender.
    public func stopReading() {
        if !isClosing { uv_read_stop(stream) }
    }

    private func didRead(_ count: Int, _ base: UnsafeMutablePointer<CChar>?) {
        if count > 0 {
            let bytes = UnsafeRawBufferPointer(start: base, count: count)
            if cipher == nil { owner?.socket(self, didRead: bytes) } else { decipher(bytes) }
        } else if count == Int(UV_EOF.rawValue) {
            stopReading()
            owner?.socketDidEnd(self)
        } else if count < 0 {
            fail("read", Int32(count))
        }
    }

    // MARK: A cipher

    /// Whether a cipher stands between the wire and the owner.
    public var isSecured: Bool { cipher != nil }

    /// Puts a cipher between the wire and the owner, from these bytes on, which were received
    /// already. `socketDidSecure` follows, or `socketDidClose` with the reason.
    public func secure(with cipher: any SocketCipher, received: UnsafeRawBufferPointer? = nil) {
        precondition(self.cipher == nil, "a socket has one cipher")
        self.cipher = cipher
        if let received { decipher(received) } else { sendCiphered() }
    }

    private func decipher(_ bytes: UnsafeRawBufferPointer) {
        guard let cipher else { return }
        // The owner hears of all that one read brought at once, as without a cipher.
        var plain: [UInt8] = []
        var error: SocketCipherError?
        do throws(SocketCipherError) {
            try cipher.receive(bytes) { plain += $0 }
        } catch let failure {
            error = failure
        }
        unreadAnswers += sendCiphered()
        if cipher.isOpen, !hasSecured {
            hasSecured = true
            owner?.socketDidSecure(self)
        }
        if !plain.isEmpty { plain.withUnsafeBytes { owner?.socket(self, didRead: $0) } }
        if unreadAnswers > Self.unreadAnswersLimit {
            error = error ?? SocketCipherError("the other side does not read its answers")
        }
        if let error { return fail(LoopError("go on with TLS", error)) }
        if cipher.hasEnded, !isClosing {
            stopReading()
            owner?.socketDidEnd(self)
        }
    }

    /// Puts on the wire what the cipher has made, and returns how much of it has to wait.
    @discardableResult
    private func sendCiphered() -> Int {
        guard let bytes = cipher?.takeOutgoing(), !bytes.isEmpty, !isClosing else { return 0 }
        let chunk = Chunk(bytes)
        let taken = isDraining ? 0 : writePlainly([chunk], offset: 0)
        if taken < chunk.count { queue([chunk], offset: taken) }
        return chunk.count - taken
    }

    /// Bytes with which the cipher itself has answered (to a change of keys, say) and that wait
    /// until the other side reads. It could ask for more of them without end.
    private var unreadAnswers = 0
    static let unreadAnswersLimit = 65_536

    /// Takes all that it is given, up to a bound.
    private func writeCiphered(
        _ chunks: ArraySlice<Chunk>, _ offset: Int, most: Int = .max, by cipher: any SocketCipher
    ) -> Int {
        var skip = offset
        var count = 0
        do throws(SocketCipherError) {
            for chunk in chunks where count < most {
                let rest = chunk.bytes[skip...].prefix(most - count)
                let bytes = UnsafeRawBufferPointer(rebasing: rest)
                try cipher.send(bytes)
                count += bytes.count
                skip = 0
            }
        } catch {
            fail(LoopError("go on with TLS", error))
            return 0
        }
        sendCiphered()
        return count
    }

    // MARK: Writing

    /// Writes what the kernel takes at once, in one `sendmsg`; never waits. With a cipher all is
    /// taken, and what the kernel does not take is under way then (`isDraining`).
    ///
    /// - Parameters:
    ///   - chunks: in order.
    ///   - offset: bytes of the first chunk that have left already.
    ///   - most: how many a cipher takes at most.
    /// - Returns: bytes taken, 0 while an earlier `writeLater` is under way or the kernel is full.
    public func write(_ chunks: ArraySlice<Chunk>, offset: Int, most: Int = .max) -> Int {
        guard !isClosing, !chunks.isEmpty, !isDraining else { return 0 }
        if let cipher { return writeCiphered(chunks, offset, most: most, by: cipher) }
        return writePlainly(chunks, offset: offset)
    }

    /// Straight to the socket: `write` asks the file system first, which for a short frame to each
    /// of a thousand connections is a tenth of what it costs.
    private func writePlainly(_ chunks: ArraySlice<Chunk>, offset: Int) -> Int {
        if chunks.count == 1 { return writePlainly(chunks[chunks.startIndex], offset: offset) }
        return withUnsafeTemporaryAllocation(of: iovec.self, capacity: chunks.count) { list in
            var skip = offset
            for (index, chunk) in chunks.enumerated() {
                let base = UnsafeMutableRawPointer(mutating: chunk.bytes.baseAddress! + skip)
                list[index] = iovec(iov_base: base, iov_len: chunk.count - skip)
                skip = 0
            }
            var message = msghdr()
            message.msg_iov = list.baseAddress
            message.msg_iovlen = list.count
            return count(of: sendmsg(descriptor, &message, Self.sendFlags))
        }
    }

    private func writePlainly(_ chunk: Chunk, offset: Int) -> Int {
        let rest = chunk.bytes[offset...]
        let bytes = UnsafeRawBufferPointer(rebasing: rest)
        return count(of: send(descriptor, bytes.baseAddress, bytes.count, Self.sendFlags))
    }

    private static let sendFlags = Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)

    /// What a call of the system took; where it failed for good, the socket is at its end. A signal
    /// cannot interrupt a call that does not wait.
    private func count(of result: Int) -> Int {
        if result >= 0 { return result }
        if errno != EAGAIN, errno != ENOBUFS { fail("write", -errno) }
        return 0
    }

    /// The system's number of the socket, -1 before it has one. Once known it is not looked up in
    /// the handle again, whose memory is nowhere near.
    private var descriptor: Int32 {
        if knownDescriptor < 0 { _ = uv_fileno(core.handle, &knownDescriptor) }
        return knownDescriptor
    }
    private var knownDescriptor: Int32 = -1

    /// As `write` with one chunk, which need not be put in a list.
    public func write(_ chunk: Chunk, offset: Int) -> Int {
        guard cipher == nil else { return write([chunk], offset: offset) }
        guard !isClosing, !isDraining else { return 0 }
        return writePlainly(chunk, offset: offset)
    }

    /// Bytes that were written and that the other side has not taken: those that libuv holds, and
    /// those in the kernel's buffer. It falls as long as the other side reads.
    public var unsentBytes: Int {
        guard !isClosing else { return 0 }
        var queued: Int32 = 0
        if descriptor >= 0 { _ = ioctl(descriptor, UInt(TIOCOUTQ), &queued) }
        return uv_stream_get_write_queue_size(stream) + Int(queued)
    }

    /// Bytes that wait in the process for the kernel to take them.
    public var queuedBytes: Int { isClosing ? 0 : uv_stream_get_write_queue_size(stream) }

    /// True while what `writeLater` was given has not left, or what a cipher made of a `write`.
    public var isDraining: Bool { writesUnderWay > 0 }
    private var writesUnderWay = 0

    /// Keeps the chunks and writes them as the other side reads; `socketDidDrain` follows. One at a
    /// time.
    public func writeLater(_ chunks: ArraySlice<Chunk>, offset: Int) {
        guard !isClosing, !chunks.isEmpty else { return }
        precondition(!isDraining, "a write is under way already")
        if let cipher {
            _ = writeCiphered(chunks, offset, by: cipher)
        } else {
            queue(chunks, offset: offset)
        }
    }

    private func queue(_ chunks: ArraySlice<Chunk>, offset: Int) {
        let request = WriteRequest(chunks, self)
        let status = withUnsafeTemporaryAllocation(of: uv_buf_t.self, capacity: chunks.count) {
            list in
            Self.fill(list, chunks, offset)
            return uv_write(request.memory, stream, list.baseAddress!, UInt32(list.count)) {
                WriteRequest.of($0!).didWrite($1)
            }
        }
        if status < 0 {
            request.forget()
            fail("write", status)
        } else {
            writesUnderWay += 1
        }
    }

    private static func fill(
        _ list: UnsafeMutableBufferPointer<uv_buf_t>, _ chunks: ArraySlice<Chunk>, _ offset: Int
    ) {
        var skip = offset
        for (index, chunk) in chunks.enumerated() {
            let bytes = chunk.bytes
            let base = UnsafeMutableRawPointer(mutating: bytes.baseAddress! + skip)
            list[index] = uv_buf_init(
                base.assumingMemoryBound(to: CChar.self), UInt32(bytes.count - skip))
            skip = 0
        }
    }

    fileprivate func didDrain(_ status: Int32) {
        writesUnderWay -= 1
        guard !isClosing else { return }
        if status < 0 { return fail("write", status) }
        guard !isDraining else { return }
        unreadAnswers = 0
        owner?.socketDidDrain(self)
    }

    // MARK: The end

    /// Whether nobody is at the other end any more, though nothing was reported: a socket whose
    /// input has ended is not watched by the loop. Asks the kernel, without waiting.
    public var isDeserted: Bool {
        guard !isClosing, descriptor >= 0 else { return true }
        var list = pollfd(fd: descriptor, events: 0, revents: 0)
        return poll(&list, 1, 0) > 0 && list.revents & Int16(POLLERR | POLLHUP) != 0
    }

    /// Ends the sending half when everything handed over before has left. Reading goes on.
    public func finish() {
        guard !isClosing else { return }
        cipher?.end()
        sendCiphered()
        let request = UnsafeMutablePointer<uv_shutdown_t>.allocate(capacity: 1)
        let status = uv_shutdown(request, stream) { request, _ in request!.deallocate() }
        if status < 0 { request.deallocate() }
    }

    /// From now on the end of this socket, and that of the whole process, is a reset and not just
    /// the end of the sending half: the other side learns at once that nobody reads any more. TCP
    /// only.
    public func resetOnClose(_ isOn: Bool) {
        guard kind == .tcp, !isClosing, descriptor >= 0 else { return }
        var option = linger(l_onoff: isOn ? 1 : 0, l_linger: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }

    /// Closes at once; what was not written is lost. `socketDidClose` follows in this turn.
    public func close() { core.closeHandle() }

    private func fail(_ operation: String, _ code: Int32) {
        fail(LoopError(operation, "", code: code))
    }

    private func fail(_ error: LoopError) {
        if failure == nil { failure = error }
        core.closeHandle()
    }
}

/// A write under way: holds its chunks and its socket until libuv is done with it.
private final class WriteRequest {
    let memory = UnsafeMutablePointer<uv_write_t>.allocate(capacity: 1)
    /// A list of its own: a part of the owner's would keep all of that, whatever becomes of it.
    private let chunks: [Chunk]
    private let socket: Socket

    init(_ chunks: ArraySlice<Chunk>, _ socket: Socket) {
        self.chunks = Array(chunks)
        self.socket = socket
        memory.pointee.data = Unmanaged.passRetained(self).toOpaque()
    }

    static func of(_ request: UnsafeMutablePointer<uv_write_t>) -> WriteRequest {
        Unmanaged<WriteRequest>.fromOpaque(request.pointee.data).takeUnretainedValue()
    }

    func didWrite(_ status: Int32) {
        socket.didDrain(status)
        forget()
    }

    func forget() { Unmanaged.passUnretained(self).release() }

    deinit { memory.deallocate() }
}

extension Socket {
    /// Asks for a connection; `socketDidConnect` or `socketDidClose` follows.
    public static func connect(
        to endpoint: Endpoint, on loop: Loop, owner: any SocketOwner
    ) throws(LoopError) -> Socket {
        switch endpoint {
        case .tcp:
            let socket = Socket(.tcp, on: loop)
            socket.owner = owner
            let request = ConnectRequest(socket, endpoint)
            let tcp = UnsafeMutableRawPointer(socket.core.handle)
                .assumingMemoryBound(to: uv_tcp_t.self)
            do throws(LoopError) {
                let status = try endpoint.withAddress(on: loop, "connect to") { address in
                    uv_tcp_connect(request.memory, tcp, address) { ConnectRequest.of($0!).did($1) }
                }
                try check(status, "connect to", endpoint.description)
            } catch {
                request.forget()
                socket.owner = nil
                socket.close()
                throw error
            }
            return socket
        case .unix(let path):
            let socket = Socket(.unix, on: loop)
            socket.owner = owner
            let request = ConnectRequest(socket, endpoint)
            let pipe = UnsafeMutableRawPointer(socket.core.handle)
                .assumingMemoryBound(to: uv_pipe_t.self)
            uv_pipe_connect(request.memory, pipe, path) { ConnectRequest.of($0!).did($1) }
            return socket
        }
    }

    fileprivate func didConnect(_ status: Int32, _ endpoint: Endpoint) {
        guard !isClosing else { return }
        if status < 0 {
            failure = LoopError("connect to", endpoint.description, code: status)
            core.closeHandle()
        } else {
            setNoDelay()
            owner?.socketDidConnect(self)
        }
    }
}

private final class ConnectRequest {
    let memory = UnsafeMutablePointer<uv_connect_t>.allocate(capacity: 1)
    private let socket: Socket
    private let endpoint: Endpoint

    init(_ socket: Socket, _ endpoint: Endpoint) {
        self.socket = socket
        self.endpoint = endpoint
        memory.pointee.data = Unmanaged.passRetained(self).toOpaque()
    }

    static func of(_ request: UnsafeMutablePointer<uv_connect_t>) -> ConnectRequest {
        Unmanaged<ConnectRequest>.fromOpaque(request.pointee.data).takeUnretainedValue()
    }

    func did(_ status: Int32) {
        socket.didConnect(status, endpoint)
        forget()
    }

    func forget() { Unmanaged.passUnretained(self).release() }

    deinit { memory.deallocate() }
}
