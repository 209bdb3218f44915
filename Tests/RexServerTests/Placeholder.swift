import Testing

@Suite struct RexServerTestsPlaceholder {
    @Test func builds() {}
}
