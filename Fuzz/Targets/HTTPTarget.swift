@testable import RexServer

/// Requests: the same ones however their bytes are cut.
enum HTTPTarget {
    private struct Heard: Equatable {
        var requests: [String] = []
        var hasFailed = false
        var rest: [UInt8] = []
    }

    private static let bodyLimit = 256

    static func run(_ input: [UInt8]) throws {
        var input = FuzzInput(input)
        let cut = input.byte()
        let bytes = input.take()
        let whole = try heard([bytes])
        let parts = try heard(pieces(of: bytes, cut))
        try hold(parts == whole, "cut: \(parts), whole: \(whole)")
    }

    private static func heard(_ parts: [[UInt8]]) throws -> Heard {
        let reader = HTTPReader(bodyLimit: bodyLimit)
        var heard = Heard()
        do throws(HTTPReader.Failure) {
            for part in parts {
                part.withUnsafeBytes { reader.append($0) }
                while let request = try reader.next() { heard.requests.append(text(of: request)) }
                if reader.mustContinue { reader.didContinue() }
            }
        } catch {
            heard.hasFailed = true
            try hold((400...505).contains(error.status), "status \(error.status)")
            return heard
        }
        heard.rest = reader.isReading ? [] : reader.takeRest()
        return heard
    }

    private static func text(of request: HTTPRequest) -> String {
        let sorted = { (pairs: [String: String]) in
            pairs.sorted { $0.key < $1.key }.map {
                "\($0.key.debugDescription): \($0.value.debugDescription)"
            }
        }
        _ = request.knows("\"1\"")
        _ = request.offers(protocol: "rex")
        return "\(request.method) \(request.segments) \(sorted(request.query)) "
            + "\(sorted(request.headers)) \(request.body) \(request.keepsAlive) \(request.isOld)"
    }
}
