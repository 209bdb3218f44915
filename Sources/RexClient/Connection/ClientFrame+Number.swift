import RexProtocol

extension ClientFrame {
    /// The same frame with another id.
    func with(id: FrameID) -> ClientFrame {
        func put<Body>(
            _ body: Body, _ path: WritableKeyPath<Body, FrameID?>
        ) -> Body {
            var body = body
            body[keyPath: path] = id
            return body
        }
        return switch self {
        case .hello(let body): .hello(put(body, \.id))
        case .dispatch(let body): .dispatch(put(body, \.id))
        case .get(let body): .get(put(body, \.id))
        case .subscribe(let body): .subscribe(put(body, \.id))
        case .unsubscribe(let body): .unsubscribe(put(body, \.id))
        case .listen(let body): .listen(put(body, \.id))
        case .unlisten(let body): .unlisten(put(body, \.id))
        case .publish(let body): .publish(put(body, \.id))
        case .effects(let body): .effects(put(body, \.id))
        case .cancel(let body): .cancel(put(body, \.id))
        case .undo(let body): .undo(put(body, \.id))
        case .redo(let body): .redo(put(body, \.id))
        case .jump(let body): .jump(put(body, \.id))
        case .history(let body): .history(put(body, \.id))
        case .diff(let body): .diff(put(body, \.id))
        case .fork(let body): .fork(put(body, \.id))
        case .hash(let body): .hash(put(body, \.id))
        case .clients(let body): .clients(put(body, \.id))
        case .ping(let body): .ping(put(body, \.id))
        case .pong(let body): .pong(put(body, \.id))
        }
    }
}
