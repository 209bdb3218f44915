import RexProtocol

/// Frames from either side: decoded, encoded and decoded again they are the same.
enum FrameTarget {
    static func run(_ input: [UInt8]) throws {
        let parser = JSONParser()
        do {
            try parser.withParsed(input) { node in
                try checkClient(node)
                try checkServer(node)
            }
        } catch is JSONError {
            return
        }
    }

    private static func checkClient(_ node: JSONNode) throws {
        _ = FrameID.of(node)
        guard let frame = try? ClientFrame.decode(node) else { return }
        var writer = JSONWriter()
        frame.encode(into: &writer)
        let parser = JSONParser()
        try parser.withParsed(writer.bytes) { node in
            let again = try ClientFrame.decode(node)
            // A frame on a tape is equal by its text.
            var second = JSONWriter()
            again.encode(into: &second)
            try hold(again == frame, "\(again) is not \(frame)")
            try hold(second.bytes == writer.bytes, "a frame has two texts")
        }
    }

    private static func checkServer(_ node: JSONNode) throws {
        guard let frame = try? ServerFrame.decode(node) else { return }
        var writer = JSONWriter()
        frame.encode(into: &writer)
        let parser = JSONParser()
        try parser.withParsed(writer.bytes) { node in
            let again = try ServerFrame.decode(node)
            try hold(again == frame, "\(again) is not \(frame)")
        }
    }
}
