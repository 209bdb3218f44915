/// The package stands on the toolchain and the C libraries of the system alone.
enum ManifestRule {
    static func findings(in file: SourceFile) -> [Finding] {
        guard file.name == "Package.swift" else { return [] }
        return file.tokens.indices.dropFirst().compactMap { index in
            guard file.tokens[index - 1].isMark(".") else { return nil }
            let call = file.tokens[index...].prefix(3).map(\.text)
            let rule: String? =
                switch (call.first, call.last) {
                case ("package", "url"), ("package", "id"): "no package from outside"
                case ("macro", _): "no macros"
                default: nil
                }
            return rule.map { file.finding(file.tokens[index].line, $0) }
        }
    }
}
