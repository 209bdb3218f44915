import Testing

@Suite struct RexProtocolTestsPlaceholder {
    @Test func builds() {}
}
