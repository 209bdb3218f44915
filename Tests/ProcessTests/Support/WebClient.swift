import Foundation
import RexProtocol
import RexTesting

/// Requests over HTTP on one connection, byte by byte as a test wants them.
final class WebClient {
    struct Answer {
        let status: Int
        /// Names in lower case.
        let headers: [String: String]
        let body: [UInt8]

        var text: String { String(decoding: body, as: UTF8.self) }
        var json: JSONValue { (try? RawJSON(parsing: body).value) ?? .null }
    }

    let socket: LineClient
    private let host: String

    init(_ server: ServerProcess) throws {
        socket = try LineClient(server)
        host = server.address
    }

    /// On a connection that stands.
    init(_ socket: LineClient, host: String) {
        self.socket = socket
        self.host = host
    }

    /// The bytes of a request with this `Host`, and a length where there is a body.
    func request(
        _ method: String, _ path: String, _ headers: [String: String] = [:], body: String? = nil
    ) -> String {
        var text = "\(method) \(path) HTTP/1.1\r\n"
        if headers["Host"] == nil { text += "Host: \(host)\r\n" }
        for (name, value) in headers { text += "\(name): \(value)\r\n" }
        if let body { text += "Content-Length: \(body.utf8.count)\r\n" }
        return text + "\r\n" + (body ?? "")
    }

    /// Asks and waits for the answer.
    func ask(
        _ method: String, _ path: String, _ headers: [String: String] = [:], body: String? = nil
    ) throws -> Answer {
        try socket.send(request(method, path, headers, body: body))
        return try answer(hasBody: method != "HEAD")
    }

    /// Sends JSON.
    func post(
        _ path: String, _ body: String, _ headers: [String: String] = [:]
    ) throws -> Answer {
        let type = ["Content-Type": "application/json"]
        return try ask("POST", path, type.merging(headers) { $1 }, body: body)
    }

    /// The head of the next answer.
    func head() throws -> (status: Int, headers: [String: String]) {
        let first = try text()
        let words = first.split(separator: " ")
        guard words.count >= 2, words[0] == "HTTP/1.1", let status = Int(words[1]) else {
            throw LineClient.Failure(description: "no status line but '\(first)'")
        }
        var headers: [String: String] = [:]
        while true {
            let line = try text()
            if line.isEmpty { return (status, headers) }
            let sides = line.split(separator: ":", maxSplits: 1)
            headers[sides[0].lowercased()] = sides.count == 2 ? String(sides[1].dropFirst()) : ""
        }
    }

    /// The next answer, whole.
    func answer(hasBody: Bool = true) throws -> Answer {
        let (status, headers) = try head()
        guard hasBody, let length = headers["content-length"].flatMap({ Int($0) }) else {
            return Answer(status: status, headers: headers, body: [])
        }
        guard let body = try socket.bytes(length) else {
            throw LineClient.Failure(description: "a body that is cut off")
        }
        return Answer(status: status, headers: headers, body: body)
    }

    /// One line of a head or of a stream of events, without its end.
    func text() throws -> String {
        guard let line = try socket.line() else {
            throw LineClient.Failure(description: "the server ended the connection")
        }
        return String(decoding: line.last == 13 ? line.dropLast() : line, as: UTF8.self)
    }

    /// The next server-sent event; comments are passed over.
    func event() throws -> [String: String] {
        var fields: [String: String] = [:]
        while true {
            let line = try text()
            if line.isEmpty {
                if fields["data"] != nil { return fields }
                fields = [:]
                continue
            }
            let sides = line.split(
                separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            if sides[0].isEmpty { continue }
            fields[String(sides[0])] = sides.count == 2 ? String(sides[1].dropFirst()) : ""
        }
    }

    /// Whether the server has ended the connection, after all that it sent.
    func isEnded() throws -> Bool {
        try socket.line() == nil
    }

    /// One request on a connection of its own.
    static func ask(
        _ server: ServerProcess, _ method: String, _ path: String,
        _ headers: [String: String] = [:], body: String? = nil
    ) throws -> Answer {
        try WebClient(server).ask(method, path, headers, body: body)
    }
}
