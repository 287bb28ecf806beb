// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation

#if canImport(UIKit)
import UIKit
#endif

/// The app's side of Apus.
///
/// ```swift
/// Apus.shared.start(ApusConfiguration(server: url, clientKey: key))
/// ```
///
/// Every method hands over what it is given and returns; the work is done elsewhere than on the main thread. What comes before
/// ``start(_:)``, such as a token, waits for it.
public final class Apus: Sendable {
    /// The app's own.
    public static let shared = Apus()

    /// Who handles pushes.
    public let pushes = PushRouter()

    private struct State {
        var work: Task<Void, Never>?
        var configuration: ApusConfiguration?
        /// What is done whenever the app comes to the screen.
        var activations: [@Sendable () async -> Void] = []
        var observers: [any NSObjectProtocol] = []
    }

    private let state = Locked(State())
    private let events: AsyncStream<RegistrationManager.Event>
    private let inbox: AsyncStream<RegistrationManager.Event>.Continuation

    /// One of its own, for tests; an app uses ``shared``.
    public init() {
        // Far more than an app can say before it starts the kit; what is older gives way.
        (self.events, self.inbox) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1000))
    }

    /// Begins to work, in the background; a second call has no effect.
    ///
    /// From then on it learns by itself when the app comes to the screen.
    public func start(_ configuration: ApusConfiguration) {
        let isFirst = self.state.withLock { state in
            guard state.work == nil else { return false }
            state.work = Task.detached(priority: .utility) { await self.run(configuration) }
            return true
        }
        if isFirst { self.prepare(configuration) }
    }

    /// Works until the task is cancelled; what ``start(_:)`` does in a task of its own.
    public func run(_ configuration: ApusConfiguration) async {
        self.prepare(configuration)
        defer { self.unfollow(configuration.notifications) }
        let queue = UploadQueue(configuration)
        let registrar = RegistrationManager(configuration, queue: queue)
        await queue.load()
        await registrar.load()
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await queue.run() }
            group.addTask { for await _ in Connection.returns() { self.inbox.yield(.retry) } }
            for await event in self.events { await registrar.take(event) }
            group.cancelAll()
        }
    }

    /// What has to be so when ``start(_:)`` returns: the app is on the screen a moment later.
    private func prepare(_ configuration: ApusConfiguration) {
        self.pushes.configure(configuration)
        self.state.withLock { state in
            state.configuration = configuration
            guard state.observers.isEmpty else { return }
            func follow(_ name: Notification.Name, _ happen: @escaping @Sendable (Apus) -> Void) {
                let center = configuration.notifications
                let observer = center.addObserver(forName: name, object: nil, queue: nil) { [weak self] _ in
                    if let self { happen(self) }
                }
                state.observers.append(observer)
            }
            follow(NSLocale.currentLocaleDidChangeNotification) { $0.inbox.yield(.surroundings) }
            follow(.NSSystemTimeZoneDidChange) { $0.inbox.yield(.surroundings) }
            #if canImport(UIKit) && !os(watchOS)
            // Apps with scenes, as all in SwiftUI have them, are not told by their app delegate.
            follow(UIApplication.didBecomeActiveNotification) { $0.becameActive() }
            #endif
        }
    }

    private func unfollow(_ center: NotificationCenter) {
        self.state.withLock { state in
            for observer in state.observers { center.removeObserver(observer) }
            state.observers = []
        }
    }

    /// Ends the work of ``start(_:)`` for good; what is not uploaded stays on disk.
    ///
    /// A later ``start(_:)`` of the same object has no effect, and what it is told is dropped: the next launch goes on.
    public func stop() async {
        let work = self.state.withLock { $0.work }
        work?.cancel()
        await work?.value
    }

    // MARK: What the system says

    /// The system has given a device token; call it from the app delegate, unless that is an ``ApusAppDelegate``.
    public func register(deviceToken: Data) { self.inbox.yield(.token(deviceToken.hexadecimal)) }

    /// The system gives no device token.
    public func registrationFailed(_ error: any Error) { self.inbox.yield(.tokenFailed(error.kind)) }

    /// The person has opened the app: what waits for the server is tried at once, and what the person permits is read.
    ///
    /// The kit calls it by itself, where the system has `UIApplication`.
    public func becameActive() {
        self.inbox.yield(.opened)
        Task.detached { await self.activate() }
        #if canImport(UserNotifications) && !os(watchOS)
        Task.detached { await self.readPermission() }
        #endif
    }

    /// Does what is done whenever the app comes to the screen, none of it after another.
    func activate() async {
        await withTaskGroup(of: Void.self) { group in
            for activation in self.state.withLock({ $0.activations }) { group.addTask { await activation() } }
        }
    }

    /// Has something done whenever the app comes to the screen.
    func onActivation(_ body: @escaping @Sendable () async -> Void) {
        self.state.withLock { $0.activations.append(body) }
    }

    /// Whether the person lets the app notify; the server has it as the tag `permission`.
    func permissionChanged(_ permission: String) { self.inbox.yield(.permission(permission)) }

    func tell(_ upload: ActivityUpload) { self.inbox.yield(.upload(upload)) }

    func tell(_ ending: ActivityEndReport) { self.inbox.yield(.ending(ending)) }

    func log(_ level: ApusLogEntry.Level, _ message: String) {
        let write = self.state.withLock { $0.configuration?.log } ?? ApusLogEntry.writeToSystemLog
        write(ApusLogEntry(level: level, message: message))
    }

    /// Where the kit keeps its files; `nil` before it is started.
    var directory: URL? { self.state.withLock { $0.configuration?.directory } }

    var now: Date { self.state.withLock { $0.configuration?.clock.now() } ?? Date() }

    // MARK: What the app says

    /// Who is signed in, by the name that the backend sends to; `nil` when nobody is.
    ///
    /// - Throws: ``ApusInputError`` for a name of more than 256 bytes.
    public func setUser(_ id: String?) throws {
        if let id { try ApusInputError.check(id, "user", 1...256) }
        self.inbox.yield(.user(id))
    }

    /// Sets a tag of this installation, or removes it.
    ///
    /// At most 63, one more is left out and logged; `permission` is the kit's own.
    ///
    /// - Throws: ``ApusInputError`` for a name of more than 64 bytes or a value of more than 256.
    public func setTag(_ name: String, _ value: String?) throws {
        try ApusInputError.check(name, "tag", 1...64)
        guard name != Installation.permissionTag else {
            throw ApusInputError(field: "tag", rule: "another name: the kit sets this one", value: name)
        }
        if let value { try ApusInputError.check(value, "tag \(name)", 0...256) }
        self.inbox.yield(.tag(name, value))
    }

    /// Subscribes this installation to a topic.
    ///
    /// At most 256, one more is left out and logged.
    ///
    /// - Throws: ``ApusInputError`` for a name of more than 128 bytes.
    public func subscribe(to topic: String) throws {
        try ApusInputError.check(topic, "topic", 1...128)
        self.inbox.yield(.topic(topic, isWanted: true))
    }

    /// Takes a subscription back.
    public func unsubscribe(from topic: String) { self.inbox.yield(.topic(topic, isWanted: false)) }

    /// Has the server forget this installation, until the system gives a token again.
    public func unregister() { self.inbox.yield(.unregister) }
}
