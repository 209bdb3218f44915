import Rex
import RexProtocol

/// The part of a token file about JSON Web Tokens; its keys are JSON Web Keys (RFC 7517).
extension TokenFileReading {
    func issuer(
        _ node: JSONNode, _ place: String, _ roles: [ExactName: Permissions]
    ) throws(ConfigurationError) -> JWTIssuer {
        try check(node, place, ["keys", "audience", "issuer", "role", "roles"])
        guard let audience = node["audience"] else {
            throw fault(node, place, "expected an audience: what aud has to name")
        }
        guard let list = node["keys"] else { throw fault(node, place, "expected keys") }
        var keys: [JWT.Key] = []
        for (index, node) in try elements(list, "\(place).keys", limit: JWTIssuer.keysLimit) {
            let key = try key(node, "\(place).keys[\(index)]")
            guard key.id == nil || !keys.contains(where: { $0.id == key.id }) else {
                throw fault(node, "\(place).keys[\(index)]", "its kid stands there twice")
            }
            keys.append(key)
        }
        guard !keys.isEmpty else { throw fault(list, "\(place).keys", "expected a key") }
        guard keys.count == 1 || keys.allSatisfy({ $0.id != nil }) else {
            throw fault(list, "\(place).keys", "several keys need a kid each")
        }
        var issuer: String?
        if let value = node["issuer"] { issuer = try text(value, "\(place).issuer") }
        var usual: Permissions?
        if let value = node["role"] { usual = try role(value, "\(place).role", roles) }
        return JWTIssuer(
            keys: keys, audience: try text(audience, "\(place).audience"), issuer: issuer,
            usual: usual, roles: try claimable(node["roles"], "\(place).roles", roles))
    }

    /// The roles that a token may claim: whoever signs tokens does not give themselves others.
    private func claimable(
        _ node: JSONNode?, _ place: String, _ roles: [ExactName: Permissions]
    ) throws(ConfigurationError) -> [ExactName: Permissions] {
        guard let node else { return [:] }
        var claimable: [ExactName: Permissions] = [:]
        for (name, its, place) in try texts(node, place) {
            claimable[ExactName(name)] = try role(its, place, roles)
        }
        return claimable
    }

    /// Members that are not known are ignored, as RFC 7517 §4 has it.
    private func key(_ node: JSONNode, _ place: String) throws(ConfigurationError) -> JWT.Key {
        guard node.kind == .object else { throw fault(node, place, "expected an object") }
        guard node["d"] == nil else {
            throw fault(node, place, "a private key has no business here; take the public one")
        }
        var id: String?
        if let value = node["kid"] { id = try text(value, "\(place).kid") }
        let type = node["kty"]?.string
        let material: JWT.Key.Material
        switch node["alg"]?.string.flatMap(JWT.Algorithm.init) {
        case .hs256 where type == "oct":
            material = .secret(
                try bytes("k", of: node, place, Signature.secretBytes...1_024))
        case .rs256 where type == "RSA":
            let modulus = try bytes("n", of: node, place, Signature.modulusBytes)
            let exponent = try bytes("e", of: node, place, 1...8)
            guard Signature.isStrong(modulus: modulus, exponent: exponent) else {
                throw fault(node, place, "expected 2048 bits or more and an odd exponent above 1")
            }
            material = .rsa(modulus: modulus, exponent: exponent)
        case .edDSA where type == "OKP" && node["crv"]?.string == "Ed25519":
            let point = try bytes("x", of: node, place, 32...32)
            guard Signature.isStrong(ed25519: point) else {
                throw fault(node, "\(place).x", "with this key anybody can sign")
            }
            material = .ed25519(point)
        default:
            throw fault(
                node, place,
                "expected an alg with its kty: HS256 with oct, RS256 with RSA, or EdDSA with OKP "
                    + "and the crv Ed25519")
        }
        return JWT.Key(id: id, material: material)
    }

    private func bytes(
        _ name: StaticString, of node: JSONNode, _ place: String, _ count: ClosedRange<Int>
    ) throws(ConfigurationError) -> [UInt8] {
        guard let value = node[name],
            let bytes = value.string.flatMap({ Base64URL.bytes($0.utf8) }),
            count.contains(bytes.count)
        else {
            let words =
                count.count == 1
                ? "\(count.lowerBound)" : "\(count.lowerBound) to \(count.upperBound)"
            throw fault(
                node[name] ?? node, "\(place).\(name)", "expected \(words) bytes in base64url")
        }
        return bytes
    }
}
