import Glibc

/// What the disk under a folder takes: the measure for everything that waits for it.
public enum DiskSpeed {
    /// The median time of a write of 4 KiB at the end of a file and `fdatasync`, in microseconds;
    /// nil where the folder cannot be written to.
    public static func syncMicroseconds(in folder: String, rounds: Int = 500) -> Double? {
        let path = folder + "/disk-speed"
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { return nil }
        defer {
            close(file)
            unlink(path)
        }
        let page = [UInt8](repeating: 7, count: 4_096)
        var times: [Double] = []
        for index in 0..<max(1, rounds) {
            let start = ContinuousClock.now
            guard pwrite(file, page, page.count, index * page.count) == page.count,
                fdatasync(file) == 0
            else { return nil }
            times.append((ContinuousClock.now - start) / .microseconds(1))
        }
        return times.sorted()[times.count / 2]
    }
}
