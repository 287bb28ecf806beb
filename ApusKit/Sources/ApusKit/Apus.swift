// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation

#if canImport(UIKit)
import UIKit
#endif

/// The app-side client of an Apus server: registers the device, routes pushes and reports Live Activity tokens.
///
/// ```swift
/// Apus.shared.start(ApusConfiguration(server: url, clientKey: key))
/// ```
///
/// Every method queues its input and returns immediately. The work runs off the main thread. Input before
/// ``start(_:)``, such as a device token, is kept until then.
public final class Apus: Sendable {
    /// The shared instance, which apps use.
    public static let shared = Apus()

    /// The router that passes pushes to the app's handlers.
    public let pushes = PushRouter()

    private struct State {
        var work: Task<Void, Never>?
        var configuration: ApusConfiguration?
        /// The closures to run each time the app becomes active.
        var activations: [@Sendable () async -> Void] = []
        var observers: [any NSObjectProtocol] = []
    }

    private let state = Locked(State())
    private let events: AsyncStream<RegistrationManager.Event>
    private let inbox: AsyncStream<RegistrationManager.Event>.Continuation

    /// Creates a separate instance for tests; an app uses ``shared``.
    public init() {
        // An app sends far fewer events than this before it starts the kit. If the buffer is full, drop the oldest.
        (self.events, self.inbox) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1000))
    }

    /// Starts the kit in the background; a second call has no effect.
    ///
    /// From then on the kit observes when the app becomes active.
    public func start(_ configuration: ApusConfiguration) {
        let isFirst = self.state.withLock { state in
            guard state.work == nil else { return false }
            state.work = Task.detached(priority: .utility) { await self.run(configuration) }
            return true
        }
        if isFirst { self.prepare(configuration) }
    }

    /// Runs the kit until the task is cancelled; ``start(_:)`` calls it in a new task.
    public func run(_ configuration: ApusConfiguration) async {
        self.prepare(configuration)
        defer { self.unfollow(configuration.notifications) }
        let queue = UploadQueue(configuration)
        let registrar = RegistrationManager(configuration, queue: queue)
        await queue.onForeignDevice { [inbox] path in inbox.yield(.foreignDevice(path: path)) }
        await queue.load()
        await registrar.load()
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await queue.run() }
            group.addTask { for await _ in Connection.returns() { self.inbox.yield(.retry) } }
            for await event in self.events { await registrar.take(event) }
            group.cancelAll()
        }
    }

    /// Registers the observers before ``start(_:)`` returns, because the app can become active right afterwards.
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
            // UIKit does not call the app delegate in apps with scenes, which include all SwiftUI apps.
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

    /// Stops the kit permanently; pending uploads stay on disk.
    ///
    /// A later ``start(_:)`` of the same object has no effect, and the object discards further input. The next launch
    /// resumes the uploads.
    public func stop() async {
        let work = self.state.withLock { $0.work }
        work?.cancel()
        await work?.value
    }

    // MARK: Calls from the system

    /// Registers a device token from the system; call it from the app delegate, unless that is an ``ApusAppDelegate``.
    public func register(deviceToken: Data) { self.inbox.yield(.token(deviceToken.hexadecimal)) }

    /// Logs that the system failed to register the app for remote notifications.
    public func registrationFailed(_ error: any Error) { self.inbox.yield(.tokenFailed(error.kind)) }

    /// Retries pending uploads immediately and reads the notification authorization, because the user opened the app.
    ///
    /// The kit calls it automatically on systems with `UIApplication`.
    public func becameActive() {
        self.inbox.yield(.opened)
        Task.detached { await self.activate() }
        #if canImport(UserNotifications) && !os(watchOS)
        Task.detached { await self.readPermission() }
        #endif
    }

    /// Runs all closures of ``onActivation(_:)`` concurrently.
    func activate() async {
        await withTaskGroup(of: Void.self) { group in
            for activation in self.state.withLock({ $0.activations }) { group.addTask { await activation() } }
        }
    }

    /// Adds a closure that runs each time the app becomes active.
    func onActivation(_ body: @escaping @Sendable () async -> Void) {
        self.state.withLock { $0.activations.append(body) }
    }

    /// Sends the notification authorization to the server as the tag `permission`.
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

    // MARK: Calls from the app

    /// Sets the ID of the signed-in user, as your backend uses it to send; `nil` if no user is signed in.
    ///
    /// - Throws: ``ApusInputError`` if the ID is not 1 to 256 bytes, or has control characters.
    public func setUser(_ id: String?) throws {
        if let id { try ApusInputError.check(id, "user", 1...256) }
        self.inbox.yield(.user(id))
    }

    /// Sets a tag of this device; `nil` removes the tag.
    ///
    /// A device has at most 63 tags. The kit ignores and logs further ones.
    ///
    /// - Throws: ``ApusInputError`` if the name is not 1 to 64 bytes, or is `permission`, which the kit sets. Also
    ///   if the value has more than 256 bytes, or if either has control characters.
    public func setTag(_ name: String, _ value: String?) throws {
        try ApusInputError.check(name, "tag", 1...64)
        guard name != Installation.permissionTag else {
            throw ApusInputError(field: "tag", rule: "another name: the kit sets this one", value: name)
        }
        if let value { try ApusInputError.check(value, "tag \(name)", 0...256) }
        self.inbox.yield(.tag(name, value))
    }

    /// Subscribes this device to a topic.
    ///
    /// A device has at most 256 topics. The kit ignores and logs further ones.
    ///
    /// - Throws: ``ApusInputError`` if the name is not 1 to 128 bytes, or has control characters.
    public func subscribe(to topic: String) throws {
        try ApusInputError.check(topic, "topic", 1...128)
        self.inbox.yield(.topic(topic, isWanted: true))
    }

    /// Unsubscribes this device from a topic.
    public func unsubscribe(from topic: String) { self.inbox.yield(.topic(topic, isWanted: false)) }

    /// Deletes this device from the server; the next device token from the system registers it again.
    public func unregister() { self.inbox.yield(.unregister) }
}
