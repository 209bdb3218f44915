import RexProtocol

/// What a server counts from its start on: plain numbers of the loop's thread.
struct Metrics {
    var connectionsAccepted = 0
    /// How often connections had to wait for room or for a descriptor.
    var acceptPauses = 0
    var framesReceived = 0
    var httpRequests = 0
    var bytesReceived = 0
    var bytesSent = 0
    var patchesSent = 0
    var statesSent = 0
    var eventsPublished = 0
    /// Events that listeners lost because they were too slow.
    var eventsDropped = 0
    /// How often a subscription was left behind, to get one patch for several later.
    var patchesMerged = 0
    var loginsFailed = 0
    var requestsDenied = 0
    var turnLength = Histogram()
    var journalWriteLength = Histogram()
    private(set) var errors: [ErrorCode: Int] = [:]
    var closes: [CloseReason: Int] = [:]
    private(set) var limitHits: [LimitName: Int] = [:]

    /// Somebody came to a bound.
    mutating func count(_ limit: LimitName, times: Int = 1) {
        limitHits[limit, default: 0] += times
    }

    /// Somebody is told this.
    mutating func count(_ error: WireError) {
        errors[error.code, default: 0] += 1
        if error.code == .forbidden { requestsDenied += 1 }
    }
}
