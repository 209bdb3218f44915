import Foundation

/// A server that answers each line with a text, to see what a client makes of it.
///
/// It ends with the object.
final class FakeServer {
    let port: UInt16
    private let descriptor: Int32

    /// - Parameter isBrief: closes after the first answer.
    init(isBrief: Bool = false, _ answer: @escaping @Sendable (String) -> String) throws {
        let (descriptor, port) = try Sockets.listen()
        self.descriptor = descriptor
        self.port = port
        Thread.detachNewThread {
            while true {
                let client = accept(descriptor, nil, nil)
                guard client >= 0 else { break }
                Self.serve(client, isBrief, answer)
            }
            // Here and not in `deinit`: a number that is free again is soon somebody else's.
            close(descriptor)
        }
    }

    private static func serve(_ client: Int32, _ isBrief: Bool, _ answer: (String) -> String) {
        var held: [UInt8] = []
        var isOpen = true
        while isOpen {
            let bytes = [UInt8](unsafeUninitializedCapacity: 65_536) { memory, filled in
                filled = max(0, recv(client, memory.baseAddress, memory.count, 0))
            }
            guard !bytes.isEmpty else { break }
            held += bytes
            while let end = held.firstIndex(of: UInt8(ascii: "\n")) {
                let text = Array(answer(String(decoding: held[..<end], as: UTF8.self)).utf8)
                _ = text.withUnsafeBytes {
                    send(client, $0.baseAddress, $0.count, Sockets.noSignal)
                }
                held.removeSubrange(...end)
                isOpen = !isBrief
            }
        }
        close(client)
    }

    deinit {
        // Ends the thread's `accept`.
        shutdown(descriptor, Int32(SHUT_RDWR))
    }
}
