import Foundation
import RexTesting
import Synchronization

/// A wire between clients and a server that can be cut.
///
/// It ends with the object.
final class Relay: Sendable {
    let port: UInt16
    private let listener: Int32
    private let wires = Mutex<[Wire]>([])

    init(to server: ServerProcess) throws {
        (listener, port) = try Sockets.listen()
        let listener = listener
        let target = server.port
        Thread.detachNewThread { [weak self] in
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { break }
                guard let far = try? Sockets.connect(port: target) else {
                    close(client)
                    continue
                }
                let wire = Wire(client, far)
                self?.wires.withLock { $0.append(wire) }
                wire.start()
            }
            // Here and not in `deinit`: a number that is free again is soon somebody else's.
            close(listener)
        }
    }

    /// Cuts every connection that goes through it now; later ones are carried again.
    func cut() {
        let list = wires.withLock { wires in
            defer { wires = [] }
            return wires
        }
        for wire in list { wire.cut() }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        cut()
    }

    /// One connection, carried by a thread for each direction.
    private final class Wire: Sendable {
        let near: Int32
        let far: Int32
        private let carriers = Mutex(2)

        init(_ near: Int32, _ far: Int32) {
            self.near = near
            self.far = far
        }

        func start() {
            Thread.detachNewThread { self.carry(self.near, self.far) }
            Thread.detachNewThread { self.carry(self.far, self.near) }
        }

        /// Wakes both carriers; the last of them closes.
        func cut() {
            carriers.withLock { count in
                guard count > 0 else { return }
                shutdown(near, Int32(SHUT_RDWR))
                shutdown(far, Int32(SHUT_RDWR))
            }
        }

        private func carry(_ from: Int32, _ to: Int32) {
            var isOpen = true
            while isOpen {
                let bytes = [UInt8](unsafeUninitializedCapacity: 65_536) { memory, filled in
                    filled = max(0, recv(from, memory.baseAddress, memory.count, 0))
                }
                var rest = bytes[...]
                while !rest.isEmpty, isOpen {
                    let count = rest.withUnsafeBytes {
                        send(to, $0.baseAddress, $0.count, Sockets.noSignal)
                    }
                    if count > 0 { rest = rest.dropFirst(count) } else { isOpen = false }
                }
                if bytes.isEmpty { isOpen = false }
            }
            cut()
            carriers.withLock { count in
                count -= 1
                guard count == 0 else { return }
                // By a reset: an end of the sending half alone would leave the rest standing.
                Sockets.closeByReset(near)
                Sockets.closeByReset(far)
            }
        }
    }
}
