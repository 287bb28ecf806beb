// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

@_exported import Combine
@_exported import Foundation
@_exported import UIKit

// The part of SwiftUI that the sample app and similar simple views need. Views are not rendered: tests read their texts
// and tap their buttons by label.

@MainActor @preconcurrency public protocol View {
    associatedtype Body: View
    @ViewBuilder var body: Body { get }
}

extension Never: View {
    // This cannot trap, because there is no value of `Never`.
    public var body: Never { fatalError("there is none") }
}

/// A view without a body that the screen renders directly.
@MainActor protocol PrimitiveView: View where Body == Never {
    func render(into screen: Screen, at path: String)
}

extension PrimitiveView {
    // This cannot trap, because the screen renders the views of this shim and does not read their bodies.
    public var body: Never { fatalError("this view has no body") }
}

public struct EmptyView: View, PrimitiveView {
    nonisolated public init() {}
    func render(into screen: Screen, at path: String) {}
}

public struct TupleView<each Content: View>: View, PrimitiveView {
    let content: (repeat each Content)

    func render(into screen: Screen, at path: String) {
        var place = 0
        repeat screen.render(each self.content, at: "\(path).\(place.next())")
    }
}

extension Int {
    fileprivate mutating func next() -> Int {
        defer { self += 1 }
        return self
    }
}

public struct _ConditionalContent<First: View, Second: View>: View, PrimitiveView {
    let first: First?
    let second: Second?

    func render(into screen: Screen, at path: String) {
        if let first { screen.render(first, at: path + ".true") }
        if let second { screen.render(second, at: path + ".false") }
    }
}

extension Optional: View where Wrapped: View {}

extension Optional: PrimitiveView where Wrapped: View {
    func render(into screen: Screen, at path: String) {
        if let self { screen.render(self, at: path + ".some") }
    }
}

@resultBuilder public enum ViewBuilder {
    public static func buildExpression<Content: View>(_ content: Content) -> Content { content }
    public static func buildBlock() -> EmptyView { EmptyView() }
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
    public static func buildBlock<each Content: View>(_ content: repeat each Content) -> TupleView<repeat each Content>
    {
        TupleView(content: (repeat each content))
    }
    public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
    public static func buildEither<First: View, Second: View>(first: First) -> _ConditionalContent<First, Second> {
        _ConditionalContent(first: first, second: nil)
    }
    public static func buildEither<First: View, Second: View>(second: Second) -> _ConditionalContent<First, Second> {
        _ConditionalContent(first: nil, second: second)
    }
    public static func buildLimitedAvailability<Content: View>(_ content: Content) -> Content { content }
}

// MARK: Views

public struct Text: View, PrimitiveView {
    let text: String

    nonisolated public init<Source: StringProtocol>(_ content: Source) { self.text = String(content) }

    public init(_ date: Date, style: DateStyle) { self.text = date.formatted() }

    public enum DateStyle { case time, date, relative, offset, timer }

    func render(into screen: Screen, at path: String) { screen.add(text: self.text) }
}

public struct Button<Label: View>: View, PrimitiveView {
    let action: @MainActor () -> Void
    let label: Label

    public init(action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> Label) {
        self.action = action
        self.label = label()
    }

    func render(into screen: Screen, at path: String) {
        screen.add(button: screen.texts(of: self.label, at: path), action: self.action)
    }
}

extension Button where Label == Text {
    public init<Source: StringProtocol>(_ title: Source, action: @escaping @MainActor () -> Void) {
        self.init(action: action) { Text(title) }
    }
}

public struct TextField<Label: View>: View, PrimitiveView {
    let title: String
    let text: Binding<String>

    func render(into screen: Screen, at path: String) { screen.add(field: self.title, self.text) }
}

extension TextField where Label == Text {
    public init<Source: StringProtocol>(_ title: Source, text: Binding<String>) {
        (self.title, self.text) = (String(title), text)
    }
}

public struct HorizontalAlignment: Sendable { public static let leading = Self(), center = Self(), trailing = Self() }
public struct VerticalAlignment: Sendable { public static let top = Self(), center = Self(), bottom = Self() }
public struct Alignment: Sendable { public static let leading = Self(), center = Self(), trailing = Self() }
public struct Font: Sendable {
    public static let largeTitle = Self(), title = Self(), headline = Self(), body = Self(), caption = Self()
}
public struct Edge: Sendable {
    public struct Set: Sendable { public static let all = Self(), horizontal = Self(), vertical = Self() }
}

public struct VStack<Content: View>: View, PrimitiveView {
    let content: Content
    public init(alignment: HorizontalAlignment = .center, spacing: CGFloat? = nil, @ViewBuilder content: () -> Content)
    {
        self.content = content()
    }
    func render(into screen: Screen, at path: String) { screen.render(self.content, at: path + ".v") }
}

public struct HStack<Content: View>: View, PrimitiveView {
    let content: Content
    public init(alignment: VerticalAlignment = .center, spacing: CGFloat? = nil, @ViewBuilder content: () -> Content) {
        self.content = content()
    }
    func render(into screen: Screen, at path: String) { screen.render(self.content, at: path + ".h") }
}

public struct Group<Content: View>: View, PrimitiveView {
    let content: Content
    public init(@ViewBuilder content: () -> Content) { self.content = content() }
    func render(into screen: Screen, at path: String) { screen.render(self.content, at: path + ".g") }
}

public struct Spacer: View, PrimitiveView {
    public init() {}
    func render(into screen: Screen, at path: String) {}
}

public struct ForEach<Item, ID: Hashable, Content: View>: View, PrimitiveView {
    let items: [Item]
    let id: KeyPath<Item, ID>
    let content: (Item) -> Content

    public init(_ data: [Item], id: KeyPath<Item, ID>, @ViewBuilder content: @escaping (Item) -> Content) {
        (self.items, self.id, self.content) = (data, id, content)
    }

    func render(into screen: Screen, at path: String) {
        for item in self.items { screen.render(self.content(item), at: "\(path).\(item[keyPath: self.id])") }
    }
}

extension ForEach where Item: Identifiable, ID == Item.ID {
    public init(_ data: [Item], @ViewBuilder content: @escaping (Item) -> Content) {
        self.init(data, id: \.id, content: content)
    }
}

// MARK: Modifiers

/// A view whose modifier has no effect, because the shim does not model appearance.
struct Unchanged<Content: View>: View, PrimitiveView {
    let content: Content
    func render(into screen: Screen, at path: String) { screen.render(self.content, at: path) }
}

/// A view with a modifier that has a side effect.
struct Effect<Content: View>: View, PrimitiveView {
    let content: Content
    let name: String
    let happen: @MainActor (Screen, String) -> Void

    func render(into screen: Screen, at path: String) {
        screen.render(self.content, at: path + "." + self.name)
        self.happen(screen, path + "." + self.name)
    }
}

extension View {
    public func padding(_ length: CGFloat? = nil) -> some View { Unchanged(content: self) }
    public func padding(_ edges: Edge.Set, _ length: CGFloat? = nil) -> some View { Unchanged(content: self) }
    public func font(_ font: Font?) -> some View { Unchanged(content: self) }
    public func frame(maxWidth: CGFloat? = nil, maxHeight: CGFloat? = nil, alignment: Alignment = .center) -> some View
    {
        Unchanged(content: self)
    }

    public func onAppear(perform action: (() -> Void)? = nil) -> some View {
        Effect(content: self, name: "appear") { screen, path in screen.once(path) { action?() } }
    }

    public func task(
        priority: TaskPriority = .userInitiated,
        _ action: @escaping @MainActor @Sendable () async -> Void
    ) -> some View {
        Effect(content: self, name: "task") { screen, path in
            screen.once(path) { screen.keep(Task(priority: priority) { await action() }) }
        }
    }

    public func onReceive<Source: Publisher>(
        _ publisher: Source,
        perform action: @escaping (Source.Output) -> Void
    ) -> some View where Source.Failure == Never {
        Effect(content: self, name: "receive") { screen, path in
            screen.receive(publisher, at: path, perform: action)
        }
    }
}
