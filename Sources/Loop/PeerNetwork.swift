import CUV
import Glibc

/// Where a connection comes from, as far as one host has it to itself: an IPv4 address, or the
/// first 64 bits of an IPv6 address, of which a host has all that are below.
///
/// An IPv4 address in the clothes of IPv6 (RFC 4291 §2.5.5.2) is the same as without them.
public struct PeerNetwork: Hashable, Sendable, CustomStringConvertible {
    private let isIPv4: Bool
    private let bits: UInt64

    /// Of the bytes of an address, in the order of the network: 4 or 16.
    public init?(bytes: [UInt8]) {
        var bytes = bytes[...]
        if bytes.count == 16, bytes.starts(with: Self.mapped) { bytes = bytes.dropFirst(12) }
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        isIPv4 = bytes.count == 4
        bits = bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    private static let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]

    /// `192.0.2.7`, or `2001:db8:0:1::/64`.
    public var description: String {
        if isIPv4 {
            return (0..<4).map { "\(bits >> (24 - 8 * UInt64($0)) & 0xFF)" }
                .joined(separator: ".")
        }
        let groups = (0..<4).map { String(bits >> (48 - 16 * UInt64($0)) & 0xFFFF, radix: 16) }
        return groups.joined(separator: ":") + "::/64"
    }

    /// Of a socket's address; nil where that is none of the Internet.
    init?(_ storage: sockaddr_storage) {
        let bytes = withUnsafeBytes(of: storage) { bytes -> [UInt8] in
            switch Int32(storage.ss_family) {
            // Behind family and port; of IPv6 also behind the label of the flow.
            case AF_INET: Array(bytes[4..<8])
            case AF_INET6: Array(bytes[8..<24])
            default: []
            }
        }
        self.init(bytes: bytes)
    }
}
