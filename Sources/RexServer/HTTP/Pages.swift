/// The files that the server brings along, each under its path.
enum Pages {
    /// One file, with the tag of its content.
    struct Page {
        let type: String
        let body: [UInt8]
        let tag: String

        init(_ type: String, _ body: [UInt8]) {
            self.type = type
            self.body = body
            tag = "\"\(Digest.hexadecimal(Array(Digest.sha256(body).prefix(8))))\""
        }

        func response(to request: HTTPRequest) -> HTTPResponse {
            let isKnown = request.knows(tag)
            var response = isKnown ? HTTPResponse(304) : HTTPResponse(200, type, body)
            response.headers += [
                ("ETag", tag), ("Cache-Control", "no-cache"),
                ("Content-Security-Policy", Pages.policy), ("Referrer-Policy", "no-referrer"),
            ]
            return response
        }
    }

    /// Nothing comes from another host, and nobody puts a page of ours in a frame.
    private static let policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
        + "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

    /// Every page by its path, without the slash in front.
    static let all: [String: Page] = {
        var pages = files.mapValues { Page($0.type, $0.body) }
        pages[""] = pages["index.html"]
        pages["inspector"] = pages["inspector.html"]
        // What browsers ask for beside a text that names no picture of its own.
        pages["favicon.ico"] = pages["icon.svg"]
        return pages
    }()

    private static let html = "text/html; charset=utf-8"
    private static let css = "text/css; charset=utf-8"
    private static let script = "text/javascript; charset=utf-8"

    private static let files: [String: (type: String, body: [UInt8])] = [
        "icon.svg": ("image/svg+xml", PackageResources.icon_svg),
        "index.html": (html, PackageResources.index_html),
        "base.css": (css, PackageResources.base_css),
        "chat.css": (css, PackageResources.chat_css),
        "chat.js": (script, PackageResources.chat_js),
        "chat-people.js": (script, PackageResources.chat_people_js),
        "chat-room.js": (script, PackageResources.chat_room_js),
        "chat-rooms.js": (script, PackageResources.chat_rooms_js),
        "chat-screens.js": (script, PackageResources.chat_screens_js),
        "dom.js": (script, PackageResources.dom_js),
        "inspector.html": (html, PackageResources.inspector_html),
        "inspector.css": (css, PackageResources.inspector_css),
        "inspector.js": (script, PackageResources.inspector_js),
        "inspector-side.js": (script, PackageResources.inspector_side_js),
        "inspector-timeline.js": (script, PackageResources.inspector_timeline_js),
        "inspector-tree.js": (script, PackageResources.inspector_tree_js),
        "token.js": (script, PackageResources.token_js),
        "virtual-list.js": (script, PackageResources.virtual_list_js),
        "rex.js": (script, PackageResources.rex_js),
        "rex.d.ts": ("text/plain; charset=utf-8", PackageResources.rex_d_ts),
    ]
}
