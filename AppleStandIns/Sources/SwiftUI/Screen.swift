// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation

/// The current texts and buttons of a view hierarchy, and the storage of its state.
///
/// The shim does not model appearance: it does not lay out, render or compare views, and appearance modifiers have no
/// effect. It evaluates views when a test reads them, not when a state changes. A view disappears only with its screen,
/// so `task` runs until then. Navigation, the environment, gestures and animation are missing.
@MainActor public final class Screen {
    /// The visible texts, from top to bottom.
    public private(set) var texts: [String] = []
    private var buttons: [(label: String, action: @MainActor () -> Void)] = []
    private var fields: [(title: String, text: Binding<String>)] = []
    private var root: (@MainActor (Screen) -> Void)?

    /// The state of views by their path in the hierarchy.
    private var storage: [String: AnyObject] = [:]
    private var done: Set<String> = []
    private var tasks: [Task<Void, Never>] = []
    private var receivers: [String: AnyObject] = [:]
    private var subscriptions: [AnyCancellable] = []

    /// Creates a screen that shows a view.
    public init(_ view: @escaping @MainActor () -> some View) {
        self.root = { $0.render(view(), at: "") }
        self.refresh()
    }

    deinit { for task in self.tasks { task.cancel() } }

    /// Evaluates the views again.
    public func refresh() {
        (self.texts, self.buttons, self.fields) = ([], [], [])
        self.root?(self)
    }

    /// The labels of the buttons, from top to bottom.
    public var labels: [String] { self.buttons.map(\.label) }

    /// Taps a button; returns whether a button with this label exists.
    @discardableResult
    public func tap(_ label: String) -> Bool {
        self.refresh()
        guard let button = self.buttons.first(where: { $0.label == label }) else { return false }
        button.action()
        self.refresh()
        return true
    }

    /// Replaces the text of a text field; returns whether a field with this title exists.
    @discardableResult
    public func type(_ text: String, into title: String) -> Bool {
        self.refresh()
        guard let field = self.fields.first(where: { $0.title == title }) else { return false }
        field.text.wrappedValue = text
        self.refresh()
        return true
    }

    // MARK: Rendering

    func render<Content: View>(_ view: Content, at path: String) {
        let place = path + "/" + String(describing: Content.self).prefix(60)
        for child in Mirror(reflecting: view).children {
            (child.value as? any DynamicProperty)?.connect(to: self, at: "\(place).\(child.label ?? "")")
        }
        if let builtIn = view as? any PrimitiveView {
            builtIn.render(into: self, at: place)
        } else {
            self.render(view.body, at: place)
        }
    }

    func add(text: String) { self.texts.append(text) }

    func add(button label: String, action: @escaping @MainActor () -> Void) {
        self.texts.append(label)
        self.buttons.append((label, action))
    }

    /// Adds a text field, which shows its title while it is empty.
    func add(field title: String, _ text: Binding<String>) {
        self.texts.append(text.wrappedValue.isEmpty ? title : text.wrappedValue)
        self.fields.append((title, text))
    }

    func texts(of view: some View, at path: String) -> String {
        let before = self.texts.count
        self.render(view, at: path + ".label")
        defer { self.texts.removeLast(self.texts.count - before) }
        return self.texts[before...].joined(separator: " ")
    }

    func stored<Value: AnyObject>(_ path: String, _ make: () -> Value) -> Value {
        if let value = self.storage[path] as? Value { return value }
        let value = make()
        self.storage[path] = value
        return value
    }

    func once(_ path: String, _ action: () -> Void) {
        if self.done.insert(path).inserted { action() }
    }

    func keep(_ task: Task<Void, Never>) { self.tasks.append(task) }

    func receive<Source: Publisher>(
        _ publisher: Source,
        at path: String,
        perform action: @escaping (Source.Output) -> Void
    ) {
        let receiver = self.receivers[path] as? Receiver<Source.Output> ?? Receiver()
        receiver.action = action
        guard self.receivers.updateValue(receiver, forKey: path) == nil else { return }
        self.subscriptions.append(publisher.sink { receiver.action?($0) })
    }

    private final class Receiver<Output> {
        var action: ((Output) -> Void)?
    }
}

/// A property wrapper whose value is kept when its view is evaluated again.
@MainActor protocol DynamicProperty {
    func connect(to screen: Screen, at path: String)
}

/// The storage of a state value.
final class Cell<Value> {
    var value: Value
    init(_ value: Value) { self.value = value }
}

@propertyWrapper public struct State<Value> {
    private final class Link {
        var cell: Cell<Value>
        init(_ cell: Cell<Value>) { self.cell = cell }
    }

    private let link: Link

    public init(wrappedValue: Value) { self.link = Link(Cell(wrappedValue)) }
    public init(initialValue: Value) { self.init(wrappedValue: initialValue) }

    public var wrappedValue: Value {
        get { self.link.cell.value }
        nonmutating set { self.link.cell.value = newValue }
    }

    public var projectedValue: Binding<Value> {
        let link = self.link
        return Binding(get: { link.cell.value }, set: { link.cell.value = $0 })
    }
}

extension State: DynamicProperty {
    func connect(to screen: Screen, at path: String) {
        let own = self.link.cell
        self.link.cell = screen.stored(path) { own }
    }
}

extension State where Value: ExpressibleByNilLiteral {
    public init() { self.init(wrappedValue: nil) }
}

@propertyWrapper public struct Binding<Value> {
    let get: () -> Value
    let set: (Value) -> Void

    public init(get: @escaping () -> Value, set: @escaping (Value) -> Void) {
        (self.get, self.set) = (get, set)
    }

    public var wrappedValue: Value {
        get { self.get() }
        nonmutating set { self.set(newValue) }
    }

    public var projectedValue: Binding<Value> { self }
    public static func constant(_ value: Value) -> Binding<Value> { Binding(get: { value }, set: { _ in }) }
}
