import FoundationEssentials

/// libFuzzer's own loop, which reads its options from the command line.
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<CInt>,
    _ words: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// `rex-fuzz`: the target that `REX_FUZZ_TARGET` names, with the options of libFuzzer.
@main enum Driver {
    private static let target: FuzzTarget = {
        let name = ProcessInfo.processInfo.environment["REX_FUZZ_TARGET"] ?? ""
        guard let target = FuzzTarget(rawValue: name) else {
            let names = FuzzTarget.allCases.map(\.rawValue).joined(separator: ", ")
            fatalError("REX_FUZZ_TARGET is '\(name)'; the targets are \(names)")
        }
        return target
    }()

    static func main() {
        var (count, words) = (CommandLine.argc, CommandLine.unsafeArgv)
        let status = runDriver(&count, &words) { bytes, count in
            Driver.test(Array(UnsafeBufferPointer(start: bytes, count: count)))
            return 0
        }
        precondition(status == 0, "libFuzzer ended with \(status)")
    }

    /// A finding ends the program as a trap does, so that the input is written down.
    private static func test(_ input: [UInt8]) {
        do {
            try target.run(input)
        } catch {
            fatalError("\(target): \(error)")
        }
    }
}
