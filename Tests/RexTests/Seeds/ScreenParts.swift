import Rex

// Stand-ins for what the documents take from UIKit and RxCocoa, under the same names, so that the
// lines that use them stand as they are.

@MainActor
class UIViewController {
    private(set) var presented: [UIAlertController] = []
    let label = UILabel()

    init(nibName: String? = nil, bundle: String? = nil) {}

    func present(_ alert: UIAlertController, animated: Bool) {
        presented.append(alert)
    }

    func viewDidLoad() {}
}

struct UIAlertAction {
    enum Style { case `default` }

    let title: String
    let style: Style
}

final class UIAlertController {
    enum Style { case alert }

    let title: String
    let message: String
    private(set) var actions: [UIAlertAction] = []

    init(title: String, message: String, preferredStyle: Style) {
        self.title = title
        self.message = message
    }

    func addAction(_ action: UIAlertAction) {
        actions.append(action)
    }
}

@MainActor
final class UILabel {
    struct Reactive {
        let text: @MainActor (String) -> Void
    }

    var text: String? {
        didSet { texts.append(text ?? "") }
    }
    private(set) var texts: [String] = []

    var rx: Reactive { Reactive { [weak self] text in self?.text = text } }
}

@MainActor
final class UIButton {
    struct Reactive {
        let tap: Flow<Void>
    }

    private let taps = FlowSource<Void>()

    var rx: Reactive { Reactive(tap: taps.flow) }

    func tap() {
        taps.send()
    }
}
