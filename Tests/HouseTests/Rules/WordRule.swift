import Foundation

/// What says where the work was done and not what it is: folders of one machine, names of package
/// hosts. Applies to every text, not to Swift alone.
enum WordRule {
    /// A letter in brackets keeps a pattern from finding itself.
    private static let patterns = [
        #"/w[o]rk/[a-z.]"#, #"/f[a]rm/[a-z.]"#, #"/r[o]ot/[A-Za-z.]"#, #"/h[o]me/[a-z]+/"#,
        #"/U[s]ers/[A-Za-z]+/"#, #"/t[m]p/(d[e]v|st[u]dio|bash_j[o]bs)\b"#, #"/o[p]t/swift"#,
        #"\b(deb|security|snapshot|ftp)\.debi[a]n\.org"#, #"pyp[i]\.org"#, #"pythonh[o]sted\."#,
        #"npmj[s]\.(org|com)"#, #"proxy\.golan[g]\.org"#,
    ]

    static func findings(in file: SourceFile) -> [Finding] {
        let found = patterns.compactMap { pattern in
            file.text.range(of: pattern, options: .regularExpression)
        }
        return found.map { range in
            let line = file.text[..<range.lowerBound].utf8.count { $0 == UInt8(ascii: "\n") } + 1
            return file.finding(line, "'\(file.text[range])' names one machine or one host")
        }
    }
}
