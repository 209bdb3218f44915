import Testing

@Suite struct RexLoopTestsPlaceholder {
    @Test func builds() {}
}
