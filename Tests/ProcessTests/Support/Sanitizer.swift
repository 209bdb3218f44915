import Foundation
import Testing

extension Trait where Self == ConditionTrait {
    /// What the program must not be built with a sanitizer for, which `REX_SANITIZER` names: it
    /// would measure that.
    static func uninstrumented(_ reason: String) -> Self {
        let sanitizer = ProcessInfo.processInfo.environment["REX_SANITIZER"]
        return .disabled(
            if: sanitizer != nil, "\(reason), which the sanitizer \(sanitizer ?? "") distorts")
    }
}
