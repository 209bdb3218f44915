import CUV
import Glibc

extension Loop {
    /// Runs the loop on a thread of its own, which ends after `stop`.
    ///
    /// - Parameter name: what `top -H` shows; at most 15 bytes.
    public func start(named name: String) {
        let start = Start(loop: self, name: name)
        var thread = pthread_t()
        let status = pthread_create(
            &thread, nil,
            { argument in
                let start = Unmanaged<Start>.fromOpaque(argument!).takeRetainedValue()
                rex_name_thread(start.name)
                SignalSource.clearInheritedMask()
                start.loop.run()
                return nil
            }, Unmanaged.passRetained(start).toOpaque())
        precondition(status == 0, "no thread could be made for the loop: \(status)")
        pthread_detach(thread)
    }

    private final class Start {
        let loop: Loop
        let name: String
        init(loop: Loop, name: String) {
            self.loop = loop
            self.name = name
        }
    }
}
