import Testing

@Suite struct RexExamplesTestsPlaceholder {
    @Test func builds() {}
}
