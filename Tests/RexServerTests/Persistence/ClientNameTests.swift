import Rex
import RexProtocol
import Testing

@testable import RexServer

@Suite struct ClientNameTests {
    @Test(arguments: [
        ("c1", 1), ("c10001", 10_001), ("c9007199254740992", 1 << 53), ("c9007199254740993", 0),
        ("c99999999999999999999", 0), ("c0", 0), ("c-1", 0), ("c", 0), ("", 0), ("d1", 0),
        ("\u{E9}1", 0),
    ])
    func onlyNamesThatAServerGivesHaveANumber(name: String, number: Int) {
        #expect(ClientName.number(name) == number)
    }

    /// No sum is over the number: one that rotted must not end the server at its next client.
    @Test(arguments: [(-5, 0), (7, 7), (Int.max, 1 << 53)])
    func theNotedNumberIsOneToGoOnFrom(noted: Int, read: Int) throws {
        let stock = try Stock(.file)
        try stock.journal.setClientsNamed(noted)
        #expect(try stock.journal.clientsNamed() == read)
    }
}
