import Foundation
import RexTesting

/// A disk and a calendar that misbehave on demand, under the real program and without any right:
/// `Faults/faults.c`, built with the compiler at hand and preloaded.
struct Faults {
    private static let library: Result<String, any Error> = Result {
        let source = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "Faults/faults.c").path
        let target =
            FileManager.default.temporaryDirectory.path + "/rex-faults-\(UUID().uuidString).so"
        var complaints = ""
        for compiler in ["clang", "cc", "gcc"] {
            let built = try? Programs.run(
                [compiler, "-shared", "-fPIC", "-O1", "-o", target, source, "-ldl"])
            if built?.code == 0 { return target }
            complaints += built?.errors ?? "\(compiler) cannot be started\n"
        }
        throw LineClient.Failure(description: "faults.c cannot be built: \(complaints)")
    }

    /// Only files below it are concerned.
    let folder: String
    private let control: String

    init(in scratch: Scratch) throws {
        folder = scratch.folder
        control = scratch.folder + "-faults"
        _ = try Self.library.get()
    }

    /// - Parameter killAt: the number of the call that changes a file there before which the
    ///   program is killed.
    func environment(killAt call: Int? = nil) throws -> [String: String?] {
        [
            "LD_PRELOAD": try Self.library.get(), "REX_FAULTS": control, "REX_FAULTS_IN": folder,
            "REX_KILL_AT": call.map { "\($0)" },
        ]
    }

    /// What goes wrong from here on; empty: nothing.
    func set(_ text: String) throws {
        // Whoever reads it sees the old text or the new one.
        try Data(text.utf8).write(to: URL(filePath: control), options: .atomic)
    }

    func remove() { try? FileManager.default.removeItem(atPath: control) }
}
