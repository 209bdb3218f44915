import Testing

@Suite struct HouseTestsPlaceholder {
    @Test func builds() {}
}
