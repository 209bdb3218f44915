import Testing

@Suite struct RexClientTestsPlaceholder {
    @Test func builds() {}
}
