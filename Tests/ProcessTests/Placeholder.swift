import Testing

@Suite struct ProcessTestsPlaceholder {
    @Test func builds() {}
}
