// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation

/// Passes each push to the handler of its action.
///
/// ```swift
/// let refresh = PushAction("refresh_dashboard", Refresh.self)
/// Apus.shared.pushes.on(refresh) { body, push in
///     try await model.load(body.date)
///     return .newData
/// }
/// ```
///
/// Install handlers before the app finishes launching, because a push can launch the app. Handlers of different pushes
/// run concurrently. After ``deadline``, the router cancels a handler and reports a failure to the system.
public final class PushRouter: Sendable {
    /// A closure that handles a push and returns the result for the system.
    public typealias Handler = @Sendable (Push) async throws -> PushResult

    /// The time limit of a handler: 25 seconds.
    ///
    /// The system gives an app in the background about 30 seconds.
    public static let deadline: TimeInterval = 25

    private struct State {
        var handlers: [String: Handler] = [:]
        var presentation: @Sendable (Push) -> PushPresentation = { _ in .all }
        var watchers: [UUID: (action: String?, continuation: AsyncStream<Push>.Continuation)] = [:]
        var log = ApusLogEntry.writeToSystemLog
        var clock = ApusClock.system
        /// The pushes of the last 2 seconds in the foreground, to detect duplicates.
        var recent: [(payload: Data, at: Date)] = []
        /// The push whose notification the user opened before any view subscribed, and the time.
        var opening: (push: Push, at: Date)?
    }

    private let state = Locked(State())

    /// Creates a router without handlers.
    public init() {}

    func configure(_ configuration: ApusConfiguration) {
        self.state.withLock { state in
            state.log = configuration.log
            state.clock = configuration.clock
        }
    }

    // MARK: Calls from the app

    /// Sets the handler for an action, and replaces the previous one.
    public func on<Body: Decodable & Sendable>(
        _ action: PushAction<Body>,
        perform: @escaping @Sendable (Body, Push) async throws -> PushResult
    ) {
        self.on(action.name) { push in try await perform(push.decode(Body.self), push) }
    }

    /// Sets the handler for an action, and replaces the previous one.
    ///
    /// The empty string is the action of pushes without an `action` member.
    public func on(_ action: String, perform: @escaping Handler) {
        self.state.withLock { $0.handlers[action] = perform }
    }

    /// Sets the closure that decides how a notification is presented while the app is in the foreground.
    ///
    /// The kit calls the closure on the main thread, so it must return immediately. Default: ``PushPresentation/all``.
    public func present(_ decide: @escaping @Sendable (Push) -> PushPresentation) {
        self.state.withLock { $0.presentation = decide }
    }

    /// A stream of the pushes of an action, or of all pushes if `action` is `nil`.
    ///
    /// The stream buffers the latest 16 pushes. It starts with the push whose notification the user tapped to open the
    /// app, if that was less than a minute ago and no other stream received it.
    public func pushes(of action: String? = nil) -> AsyncStream<Push> {
        let id = UUID()
        return AsyncStream(bufferingPolicy: .bufferingNewest(16)) { continuation in
            self.state.withLock { state in
                state.watchers[id] = (action, continuation)
                guard let (push, time) = state.opening, action ?? push.action == push.action else { return }
                state.opening = nil
                if state.clock.now().timeIntervalSince(time).magnitude < 60 { continuation.yield(push) }
            }
            continuation.onTermination = { _ in _ = self.state.withLock { $0.watchers.removeValue(forKey: id) } }
        }
    }

    // MARK: Calls from the system

    /// Returns how a notification is presented while the app is in the foreground.
    public func presentation(of push: Push) -> PushPresentation {
        self.state.withLock { $0.presentation }(push)
    }

    /// Passes a push to its handler, and returns the result within ``deadline``.
    public func handle(_ push: Push) async -> PushResult {
        guard !self.isRepeated(push) else { return .noData }
        let (handler, isWatched, clock) = self.state.withLock { state in
            let watchers = state.watchers.values.filter { $0.action ?? push.action == push.action }
            for watcher in watchers { watcher.continuation.yield(push) }
            // If a tap launched the app, its views have not subscribed yet.
            if watchers.isEmpty, push.arrival.opensApp { state.opening = (push, state.clock.now()) }
            return (state.handlers[push.action], !watchers.isEmpty, state.clock)
        }
        guard let handler else {
            guard !isWatched else { return .newData }
            let hope = push.arrival.opensApp ? "; it is kept for a view that does" : ""
            self.log(.warning, "nobody handles a push with the action \"\(push.action.prefix(64))\"\(hope)")
            return .noData
        }
        do {
            return try await withDeadline(Self.deadline, clock: clock) { try await handler(push) }
        } catch PushError.malformed(let reason) {
            self.log(.error, "a push with the action \"\(push.action.prefix(64))\" is malformed: \(reason)")
        } catch is TimeoutError {
            self.log(
                .error,
                // This conversion cannot trap, because the deadline is a constant.
                "the handler of \"\(push.action.prefix(64))\" took more than \(Int(Self.deadline)) seconds"
            )
        } catch {
            self.log(.error, "the handler of \"\(push.action.prefix(64))\" failed: \(error.kind)")
        }
        return .failed
    }

    /// Passes the push of a `userInfo` to its handler; the result is `failed` if the payload is malformed.
    public func handle(
        userInfo: [AnyHashable: Any],
        arrival: PushContext,
        identifier: String = ""
    ) -> Task<PushResult, Never> {
        do {
            let push = try Push(userInfo: userInfo, arrival: arrival, identifier: identifier)
            return Task.detached { await self.handle(push) }
        } catch {
            self.log(.error, "a push is malformed: \(error)")
            return Task { .failed }
        }
    }

    /// Whether this is a repetition, because iOS delivers an alert with `content-available` twice in the foreground.
    private func isRepeated(_ push: Push) -> Bool {
        guard push.arrival == .foreground else { return false }
        return self.state.withLock { state in
            let now = state.clock.now()
            state.recent.removeAll { now.timeIntervalSince($0.at).magnitude > 2 }
            let isAlertAndBackground = String(decoding: push.payload, as: UTF8.self).contains("\"content-available\":1")
            if isAlertAndBackground, let twin = state.recent.firstIndex(where: { $0.payload == push.payload }) {
                state.recent.remove(at: twin)
                return true
            }
            state.recent.append((push.payload, now))
            if state.recent.count > 16 { state.recent.removeFirst() }
            return false
        }
    }

    func log(_ level: ApusLogEntry.Level, _ message: String) {
        self.state.withLock { $0.log }(ApusLogEntry(level: level, message: message))
    }
}

/// The error of an operation that exceeds its deadline.
struct TimeoutError: Error {}

/// Runs an operation; at the deadline, in seconds, throws ``TimeoutError`` and cancels the operation.
func withDeadline<Value: Sendable>(
    _ seconds: TimeInterval,
    clock: ApusClock,
    _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    let work = Task { try await body() }
    let answer = Locked<CheckedContinuation<Value, any Error>?>(nil)
    let finish: @Sendable (Result<Value, any Error>) -> Void = { result in
        answer.withLock { waiter in
            defer { waiter = nil }
            return waiter
        }?.resume(with: result)
    }
    return try await withCheckedThrowingContinuation { continuation in
        answer.withLock { $0 = continuation }
        let timer = Task {
            guard (try? await clock.sleep(seconds)) != nil else { return }
            // Finish before cancelling, because a cancelled operation can return immediately as if it had succeeded.
            finish(.failure(TimeoutError()))
            work.cancel()
        }
        Task {
            finish(await work.result)
            timer.cancel()
        }
    }
}
