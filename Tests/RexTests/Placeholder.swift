import Testing

@Suite struct RexTestsPlaceholder {
    @Test func builds() {}
}
