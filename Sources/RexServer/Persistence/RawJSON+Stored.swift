import RexProtocol

extension RawJSON {
    /// Reads what Rex itself once wrote; nil where it is no JSON any more.
    init?(stored bytes: [UInt8]) {
        guard let json = try? RawJSON(parsing: bytes, depthLimit: JSONCoder.depthLimit) else {
            return nil
        }
        self = json
    }
}
