import Rex
import RexProtocol

extension TokenFile {
    /// Reads the text of a token file.
    ///
    /// - Throws: `ConfigurationError` with the line and the member; never with what a token's
    ///   digest is.
    public init(parsing text: [UInt8]) throws(ConfigurationError) {
        guard text.count <= Self.bytesLimit else {
            throw ConfigurationError(
                line: 1, member: "", message: "a token file has at most \(Self.bytesLimit) bytes")
        }
        let parser = JSONParser()
        let result = text.withUnsafeBytes { bytes in
            Result { () throws(ConfigurationError) in
                try TokenFileReading(bytes: bytes).file(try ServerSettings.parse(bytes, parser))
            }
        }
        self = try result.get()
    }
}

/// One reading of a token file.
struct TokenFileReading {
    let bytes: UnsafeRawBufferPointer

    func file(_ root: JSONNode) throws(ConfigurationError) -> TokenFile {
        try check(root, "", ["roles", "users", "anonymous", "jwt"])
        var roles: [ExactName: Permissions] = [:]
        if let list = root["roles"] {
            for (name, role) in try members(list, "roles") {
                roles[ExactName(name)] = try permissions(role, "roles.\(name)")
            }
        }
        guard let list = root["users"] else { throw fault(root, "users", "expected users") }
        var users: [TokenFile.User] = []
        for (index, node) in try elements(list, "users", limit: TokenFile.usersLimit) {
            users.append(try user(node, "users[\(index)]", roles))
        }
        try checkDoubles(users, list)
        var anonymous: Permissions?
        if let node = root["anonymous"] { anonymous = try role(node, "anonymous", roles) }
        var jwt: JWTIssuer?
        if let node = root["jwt"] { jwt = try issuer(node, "jwt", roles) }
        return TokenFile(users: users, anonymous: anonymous, jwt: jwt)
    }

    private func user(
        _ node: JSONNode, _ place: String, _ roles: [ExactName: Permissions]
    ) throws(ConfigurationError) -> TokenFile.User {
        try check(node, place, ["name", "sha256", "certificate", "uid", "role", "may"])
        guard let nameNode = node["name"] else {
            throw fault(node, place, "expected a name")
        }
        let name = try userName(nameNode, "\(place).name")
        var digests: [[UInt8]] = []
        if let list = node["sha256"] {
            for (text, its, place) in try texts(list, "\(place).sha256") {
                guard let digest = Digest.bytes(text), digest.count == 32 else {
                    throw fault(its, place, "expected 64 hexadecimal digits")
                }
                digests.append(digest)
            }
        }
        let certificate = try node["certificate"].map { value throws(ConfigurationError) in
            try text(value, "\(place).certificate")
        }
        var number: UInt32?
        if let value = node["uid"] {
            guard let uid = value.int.flatMap(UInt32.init(exactly:)) else {
                throw fault(value, "\(place).uid", "expected the number of a user")
            }
            number = uid
        }
        guard !digests.isEmpty || certificate != nil || number != nil else {
            throw fault(
                node, place, "expected a sha256, a certificate or a uid to know them by")
        }
        return TokenFile.User(
            name: name, digests: digests, certificate: certificate, number: number,
            permissions: try userPermissions(node, place, roles))
    }

    private func userPermissions(
        _ node: JSONNode, _ place: String, _ roles: [ExactName: Permissions]
    ) throws(ConfigurationError) -> Permissions {
        switch (node["role"], node["may"]) {
        case (let name?, nil): return try role(name, "\(place).role", roles)
        case (nil, let may?): return try permissions(may, "\(place).may")
        default:
            throw fault(node, place, "expected either a role or what they may")
        }
    }

    private func userName(
        _ node: JSONNode, _ place: String
    ) throws(ConfigurationError) -> String {
        let name = try text(node, place)
        guard UserName.isGood(name) else {
            throw fault(node, place, UserName.expected)
        }
        return name
    }

    func role(
        _ node: JSONNode, _ place: String, _ roles: [ExactName: Permissions]
    ) throws(ConfigurationError) -> Permissions {
        guard node.string != nil else { return try permissions(node, place) }
        let name = try text(node, place)
        guard let role = roles[ExactName(name)] else {
            throw fault(node, place, "there is no role \(name)")
        }
        return role
    }

    /// Two users of one token, certificate or number would be one of them by chance.
    private func checkDoubles(
        _ users: [TokenFile.User], _ list: JSONNode
    ) throws(ConfigurationError) {
        var seen: Set<Proof> = []
        for (index, user) in users.enumerated() {
            let proofs =
                user.digests.map { Proof.token($0) }
                + [user.certificate.map { .certificate($0) }, user.number.map { .peer($0) }]
                .compactMap(\.self)
            for proof in proofs where !seen.insert(proof).inserted {
                throw fault(
                    list[element: index] ?? list, "users[\(index)]",
                    "what they are known by stands there twice")
            }
        }
    }

    // MARK: Rules

    private func permissions(
        _ node: JSONNode, _ place: String
    ) throws(ConfigurationError) -> Permissions {
        try check(node, place, ["stores", "publish", "listen", "admin", "metrics"])
        var stores: [ExactName: StoreRules] = [:]
        if let list = node["stores"] {
            for (name, rules) in try members(list, "\(place).stores") {
                stores[ExactName(name)] = try storeRules(rules, "\(place).stores.\(name)")
            }
        }
        let isAdmin = try flag(node["admin"], "\(place).admin")
        return Permissions(
            stores: stores,
            publish: try topicRule(node["publish"], "\(place).publish"),
            listen: try topicRule(node["listen"], "\(place).listen"), isAdmin: isAdmin,
            readsMetrics: try flag(node["metrics"], "\(place).metrics") || isAdmin)
    }

    private func storeRules(
        _ node: JSONNode, _ place: String
    ) throws(ConfigurationError) -> StoreRules {
        try check(node, place, ["dispatch", "read", "admin"])
        let dispatch = try rule(node["dispatch"], "\(place).dispatch") { text, _, _ in text }
        let read = try rule(node["read"], "\(place).read") {
            (text, node, place) throws(ConfigurationError) -> JSONPointer in
            do throws(JSONPointerError) { return try JSONPointer(text) } catch {
                throw fault(node, place, error.message)
            }
        }
        return StoreRules(
            dispatch: ActionRule(allow: dispatch.allow, deny: dispatch.deny),
            read: ReadScope(allow: read.allow, deny: read.deny),
            isAdmin: try flag(node["admin"], "\(place).admin"))
    }

    private func topicRule(
        _ node: JSONNode?, _ place: String
    ) throws(ConfigurationError) -> TopicRule {
        let lists = try rule(node, place) {
            (text, node, place) throws(ConfigurationError) -> TopicPattern in
            do throws(TopicError) { return try TopicPattern(text) } catch {
                throw fault(node, place, error.message)
            }
        }
        return TopicRule(allow: lists.allow, deny: lists.deny)
    }

    /// A list is what is allowed; an object may have a list `deny` beside its list `allow`.
    private func rule<Pattern>(
        _ node: JSONNode?, _ place: String,
        _ read: (String, JSONNode, String) throws(ConfigurationError) -> Pattern
    ) throws(ConfigurationError) -> (allow: [Pattern], deny: [Pattern]) {
        guard let node else { return ([], []) }
        guard node.kind == .object else { return (try patterns(node, place, read), []) }
        try check(node, place, ["allow", "deny"])
        return (
            try patterns(node["allow"], "\(place).allow", read),
            try patterns(node["deny"], "\(place).deny", read)
        )
    }

    private func patterns<Pattern>(
        _ node: JSONNode?, _ place: String,
        _ read: (String, JSONNode, String) throws(ConfigurationError) -> Pattern
    ) throws(ConfigurationError) -> [Pattern] {
        guard let node else { return [] }
        var list: [Pattern] = []
        for (text, its, place) in try texts(node, place) {
            list.append(try read(text, its, place))
        }
        return list
    }

    // MARK: JSON

    func check(
        _ node: JSONNode, _ place: String, _ names: Set<String>
    ) throws(ConfigurationError) {
        for (name, value) in try members(node, place) where !names.contains(name) {
            throw fault(
                value, place.isEmpty ? name : "\(place).\(name)",
                "there is no such member; there are \(names.sorted().joined(separator: ", "))")
        }
    }

    private func members(
        _ node: JSONNode, _ place: String
    ) throws(ConfigurationError) -> [(name: String, value: JSONNode)] {
        guard node.kind == .object else { throw fault(node, place, "expected an object") }
        return node.members.map { ($0.name.string ?? "", $0.value) }
    }

    func elements(
        _ node: JSONNode, _ place: String, limit: Int
    ) throws(ConfigurationError) -> [(index: Int, node: JSONNode)] {
        guard node.kind == .array else { throw fault(node, place, "expected a list") }
        guard node.count <= limit else {
            throw fault(node, place, "there may be \(limit) of them, and there are more")
        }
        return node.elements.enumerated().map { ($0.offset, $0.element) }
    }

    /// A list of strings, or one string.
    func texts(
        _ node: JSONNode, _ place: String
    ) throws(ConfigurationError) -> [(text: String, node: JSONNode, place: String)] {
        if let text = node.string { return [(text, node, place)] }
        var list: [(text: String, node: JSONNode, place: String)] = []
        for (index, element) in try elements(
            node, place, limit: TokenFile.patternsLimit)
        {
            let place = "\(place)[\(index)]"
            list.append((try text(element, place), element, place))
        }
        return list
    }

    func text(
        _ node: JSONNode, _ place: String
    ) throws(ConfigurationError) -> String {
        guard let text = node.string else { throw fault(node, place, "expected a string") }
        return text
    }

    private func flag(
        _ node: JSONNode?, _ place: String
    ) throws(ConfigurationError) -> Bool {
        guard let node else { return false }
        guard let flag = node.bool else { throw fault(node, place, "expected true or false") }
        return flag
    }

    func fault(
        _ node: JSONNode, _ place: String, _ message: String
    ) -> ConfigurationError {
        ConfigurationError(
            line: ServerSettings.lineNumber(of: node, in: bytes), member: place,
            message: message)
    }
}

/// The name of a user, as others will see it.
enum UserName {
    /// What a name has to be, in words.
    static let expected =
        "expected a name of 1 to \(TokenFile.nameBytesLimit) bytes without control characters"

    static func isGood(_ name: String) -> Bool {
        (1...TokenFile.nameBytesLimit).contains(name.utf8.count)
            && !name.unicodeScalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) }
    }
}
