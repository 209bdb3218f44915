import Glibc

/// Where typed lines are remembered: `$XDG_STATE_HOME/rex`, else `~/.local/state/rex`.
enum HistoryFile {
    /// The path, its folders made for this user alone; nil where there is no home.
    static func path(in environment: [String: String]) -> String? {
        let base: String
        if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") {
            base = state
        } else if let home = environment["HOME"], home.hasPrefix("/") {
            base = home + "/.local/state"
        } else {
            return nil
        }
        let folder = base + "/rex"
        var path = ""
        for part in folder.split(separator: "/") {
            path += "/" + part
            mkdir(path, 0o700)
        }
        return access(folder, W_OK) == 0 ? folder + "/client-history" : nil
    }
}
