import RexLoop
import Testing

@Suite struct PeerNetworkTests {
    @Test func anAddressOfIPv4IsAHost() throws {
        let one = try #require(PeerNetwork(bytes: [192, 0, 2, 7]))
        #expect("\(one)" == "192.0.2.7")
        #expect(one != PeerNetwork(bytes: [192, 0, 2, 8]))
        let mapped = [UInt8](repeating: 0, count: 10) + [255, 255, 192, 0, 2, 7]
        #expect(PeerNetwork(bytes: mapped) == one)
    }

    @Test func ofIPv6AHostHasAllThatIsBelow64Bits() throws {
        let front: [UInt8] = [0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 1]
        let one = try #require(PeerNetwork(bytes: front + [0, 0, 0, 0, 0, 0, 0, 1]))
        #expect("\(one)" == "2001:db8:0:1::/64")
        #expect(PeerNetwork(bytes: front + [1, 2, 3, 4, 5, 6, 7, 8]) == one)
        #expect(PeerNetwork(bytes: front.dropLast() + [2] + [UInt8](repeating: 0, count: 8)) != one)
        // ::1 is no IPv4 address, whatever its bits are.
        let loopback = PeerNetwork(bytes: [UInt8](repeating: 0, count: 15) + [1])
        #expect(loopback != PeerNetwork(bytes: [0, 0, 0, 0]))
    }

    @Test func whatIsNoAddressIsNoPlace() {
        #expect(PeerNetwork(bytes: []) == nil && PeerNetwork(bytes: [1, 2, 3]) == nil)
    }
}
