import RexProtocol
import RexTesting
import Testing

/// The pages that the server brings along.
@Suite(.ownThreads) struct PageTests {
    private static let policy = [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'",
        "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
    ]

    /// What a page names of the server's own, from it on.
    private func closure(from path: String, _ web: WebClient) throws -> [String: WebClient.Answer] {
        var found: [String: WebClient.Answer] = [:]
        var left = [path]
        while let next = left.popLast() {
            guard found[next] == nil else { continue }
            let answer = try web.ask("GET", next)
            #expect(answer.status == 200, "\(next)")
            found[next] = answer
            let text = answer.text
            // Not what a person may click on.
            for pattern in [/<(?:link|script)[^>]* (?:src|href)="(\/[^"]*)"/, /from "(\/[^"]*)"/] {
                left += text.matches(of: pattern).map { String($0.1) }
            }
        }
        return found
    }

    @Test(arguments: ["/", "/inspector"])
    func aPageIsWholeAndSmallAndComesFromHereAlone(path: String) throws {
        let server = try Programs.startServer()
        let files = try closure(from: path, WebClient(server))
        #expect(files[path]?.headers["content-type"] == "text/html; charset=utf-8")
        #expect(files.count > 5 && files["/rex.js"] != nil)
        #expect(files.values.reduce(0) { $0 + $1.body.count } <= 100_000)
        for (name, file) in files {
            let policy = file.headers["content-security-policy"] ?? ""
            for rule in Self.policy { #expect(policy.contains(rule), "\(name): \(policy)") }
            #expect(!policy.contains("unsafe") && !policy.contains("http"))
            #expect(file.headers["x-content-type-options"] == "nosniff")
            #expect(file.headers["referrer-policy"] == "no-referrer")
            // The one name of another place is the name space of SVG.
            let text = file.text.replacing("http://www.w3.org/2000/svg", with: "")
            #expect(!text.contains(/https?:\/\/[a-z]/), "\(name)")
            if name.hasSuffix(".js") {
                #expect(file.headers["content-type"] == "text/javascript; charset=utf-8")
            } else if name.hasSuffix(".css") {
                #expect(file.headers["content-type"] == "text/css; charset=utf-8")
            }
        }
    }

    /// Browsers ask for it beside whatever names no picture of its own: `/livez`, `/rex.js`.
    @Test func thereIsAPictureForEveryTab() throws {
        let server = try Programs.startServer()
        let web = try WebClient(server)
        let picture = try web.ask("GET", "/favicon.ico")
        #expect(picture.status == 200 && picture.headers["content-type"] == "image/svg+xml")
        #expect(picture.text.hasPrefix("<svg xmlns="))
        for page in ["/", "/inspector"] {
            let answer = try web.ask("GET", page)
            #expect(answer.text.contains(#"<link rel="icon" href="data:image/svg+xml,"#))
            let policy = answer.headers["content-security-policy"] ?? ""
            #expect(policy.contains("img-src 'self' data:"), "\(policy)")
        }
    }

    @Test func theModuleIsSmallAndKnownByItsTag() throws {
        let server = try Programs.startServer()
        let web = try WebClient(server)
        let module = try web.ask("GET", "/rex.js")
        #expect(module.status == 200 && module.body.count <= 12_288)
        let tag = try #require(module.headers["etag"])
        let again = try web.ask("GET", "/rex.js", ["If-None-Match": tag])
        #expect(again.status == 304 && again.body.isEmpty)
        #expect(again.headers["content-security-policy"] != nil)
        #expect(try web.ask("HEAD", "/rex.js").headers["etag"] == tag)
        #expect(try web.ask("POST", "/", body: "").headers["allow"] == "GET, HEAD")
        #expect(try web.ask("GET", "/rex.d.ts").status == 200)
        #expect(try web.ask("GET", "/rex.js/x").status == 404)
    }
}
