import Rex
import Testing

@testable import RexServer

struct ExactNameTests {
    /// Swift takes them for the same text; a proof of the one is none of the other.
    @Test(arguments: [("é", "e\u{301}"), ("Kim", "\u{212A}im"), ("Å", "\u{212B}")])
    func whatOnlyLooksAlikeIsAnother(one: String, other: String) {
        #expect(ExactName(one) != ExactName(other))
        #expect(Set([ExactName(one), ExactName(other), ExactName(one)]).count == 2)
        let client = ClientIdentity(id: "c1", user: one)
        #expect(client.isUser(one) && !client.isUser(other) && !client.isUser(nil))
        #expect(ClientIdentity(id: "c2").isUser(nil) && !ClientIdentity(id: "c2").isUser(""))
    }
}
