// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import UIKit

@MainActor @preconcurrency public protocol Scene {
    associatedtype Body: Scene
    @SceneBuilder var body: Body { get }
}

extension Never: Scene {}

@resultBuilder public enum SceneBuilder {
    public static func buildBlock<Content: Scene>(_ content: Content) -> Content { content }
}

@MainActor protocol PrimitiveScene {
    var makeScreen: @MainActor () -> Screen { get }
}

public struct WindowGroup<Content: View>: Scene, PrimitiveScene {
    let content: @MainActor () -> Content

    public init(@ViewBuilder content: @escaping @MainActor () -> Content) { self.content = content }

    // This cannot trap, because no code reads the body of a scene of this shim.
    public var body: Never { fatalError("this scene has no body") }
    var makeScreen: @MainActor () -> Screen { { Screen(self.content) } }
}

@MainActor @preconcurrency public protocol App {
    associatedtype Body: Scene
    @SceneBuilder var body: Body { get }
    init()
}

extension App {
    /// Launches the app on the virtual device of the process, and runs until the device ends it.
    ///
    /// With `APUS_DEVICE_HANDS=stdin`, each line of standard input is a command of the user. `tap LABEL` taps a button.
    /// `type TITLE=TEXT` replaces the text of a text field. `read` writes the texts of the screen to standard output as
    /// a JSON array. Each command writes one line.
    public static func main() {
        MainActor.assumeIsolated {
            let app = Self()
            for child in Mirror(reflecting: app).children {
                (child.value as? any DelegateAdaptor)?.make()
            }
            UIApplication.shared.launch(CurrentApp.delegate, hasScenes: true)
            CurrentApp.screen = (app.body as? any PrimitiveScene)?.makeScreen()
            CurrentApp.takeHands()
        }
        RunLoop.main.run()
    }
}

/// The screen and the delegate of the app in this process.
@MainActor enum CurrentApp {
    static var screen: Screen?
    static var delegate: (any UIApplicationDelegate)?

    static func takeHands() {
        guard ProcessInfo.processInfo.environment["APUS_DEVICE_HANDS"] == "stdin" else { return }
        Thread.detachNewThread {
            while let line = readLine() {
                DispatchQueue.main.async { MainActor.assumeIsolated { self.act(line) } }
            }
            exit(0)
        }
    }

    private static func act(_ line: String) {
        var answer = "\"no screen\""
        if let screen = self.screen {
            if line.hasPrefix("tap ") {
                answer = screen.tap(String(line.dropFirst(4))) ? "\"tapped\"" : "\"no such button\""
            } else if line.hasPrefix("type ") {
                let words = line.dropFirst(5).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                let (title, text) = (String(words[0]), words.count > 1 ? String(words[1]) : "")
                answer = screen.type(text, into: title) ? "\"typed\"" : "\"no such field\""
            } else {
                screen.refresh()
                let data = try? JSONSerialization.data(withJSONObject: screen.texts)
                answer = data.map { String(decoding: $0, as: UTF8.self) } ?? "[]"
            }
        }
        print(answer)
        fflush(stdout)
    }
}

@MainActor protocol DelegateAdaptor {
    func make()
}

@MainActor @preconcurrency @propertyWrapper
public struct UIApplicationDelegateAdaptor<DelegateType>: DelegateAdaptor
where DelegateType: NSObject, DelegateType: UIApplicationDelegate {
    private let delegate: DelegateType

    public init(_ delegateType: DelegateType.Type = DelegateType.self) {
        self.delegate = InitializableObject.make(delegateType)
    }

    public var wrappedValue: DelegateType { self.delegate }
    func make() { CurrentApp.delegate = self.delegate }
}

/// Creates an object of a class that is known only at run time.
///
/// With Objective-C, the metatype can create an object of every subclass of `NSObject`. On Linux, the compiler demands
/// a `required` initializer, which apps do not write. The initializer is at the same index in the vtable of each such
/// class. This class has a `required` initializer, so its metatype can call the initializer at this index.
open class InitializableObject: NSObject {
    public required override init() { super.init() }

    static func make<Object: NSObject>(_ type: Object.Type) -> Object {
        let object: NSObject = unsafeBitCast(type, to: InitializableObject.Type.self).init()
        return unsafeDowncast(object, to: type)
    }
}

// MARK: Widgets

@MainActor @preconcurrency public protocol WidgetConfiguration {
    associatedtype Body: WidgetConfiguration
    var body: Body { get }
}

extension Never: WidgetConfiguration {}

@MainActor @preconcurrency public protocol Widget {
    associatedtype Body: WidgetConfiguration
    init()
    var body: Body { get }
}

extension Never: Widget {
    // This cannot trap, because no code can create a `Never`.
    public init() { fatalError("there is none") }
}

@resultBuilder public enum WidgetBundleBuilder {
    public static func buildBlock<Content: Widget>(_ content: Content) -> some Widget { content }
}

@MainActor @preconcurrency public protocol WidgetBundle {
    associatedtype Body: Widget
    @WidgetBundleBuilder var body: Body { get }
    init()
}

/// A widget configuration with a presentation on the Lock Screen.
public protocol LockScreenConfiguration {
    /// The texts of each item that the Lock Screen shows now.
    @MainActor var lockScreens: [[String]] { get }
}

extension WidgetBundle {
    /// Writes one line for each Live Activity on the Lock Screen: a JSON array of its texts.
    ///
    /// Tests start the extension's process for each read, with the environment variables of its app.
    public static func main() {
        MainActor.assumeIsolated {
            for texts in (Self.configuration(of: Self().body) as? any LockScreenConfiguration)?.lockScreens ?? [] {
                guard let data = try? JSONSerialization.data(withJSONObject: texts) else { continue }
                print(String(decoding: data, as: UTF8.self))
            }
        }
    }

    @MainActor private static func configuration(of widget: some Widget) -> any WidgetConfiguration { widget.body }
}
