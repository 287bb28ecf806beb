// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation

/// Takes every push to who handles it.
///
/// ```swift
/// let refresh = PushAction("refresh_dashboard", Refresh.self)
/// Apus.shared.pushes.on(refresh) { body, push in
///     try await model.load(body.date)
///     return .newData
/// }
/// ```
///
/// Install handlers before the app has finished launching: a push may be what launches it. Handlers of two pushes run side by
/// side; each has to be done within the deadline, is cancelled then, and the system is told that it failed.
public final class PushRouter: Sendable {
    /// What handles a push.
    public typealias Handler = @Sendable (Push) async throws -> PushResult

    /// How long handlers may take, in seconds.
    ///
    /// The system gives an app in the background about 30.
    public static let deadline: TimeInterval = 25

    private struct State {
        var handlers: [String: Handler] = [:]
        var presentation: @Sendable (Push) -> PushPresentation = { _ in .all }
        var watchers: [UUID: (action: String?, continuation: AsyncStream<Push>.Continuation)] = [:]
        var log = ApusLogEntry.writeToSystemLog
        var clock = ApusClock.system
        /// What came just now while the app was on the screen, and when.
        var recent: [(payload: Data, at: Date)] = []
        /// What the person has opened the app by, before there was a view that watches for it, and when.
        var opening: (push: Push, at: Date)?
    }

    private let state = Locked(State())

    /// A router without handlers.
    public init() {}

    func configure(_ configuration: ApusConfiguration) {
        self.state.withLock { state in
            state.log = configuration.log
            state.clock = configuration.clock
        }
    }

    // MARK: What the app says

    /// Handles pushes of an action, in the place of the handler before.
    public func on<Body: Decodable & Sendable>(
        _ action: PushAction<Body>,
        perform: @escaping @Sendable (Body, Push) async throws -> PushResult
    ) {
        self.on(action.name) { push in try await perform(push.decode(Body.self), push) }
    }

    /// Handles pushes of an action, in the place of the handler before.
    ///
    /// The empty one is of pushes without an action.
    public func on(_ action: String, perform: @escaping Handler) {
        self.state.withLock { $0.handlers[action] = perform }
    }

    /// Decides how pushes are shown while the app is on the screen.
    ///
    /// Default: with all that they have.
    ///
    /// It is called on the main thread, and answers at once.
    public func present(_ decide: @escaping @Sendable (Push) -> PushPresentation) {
        self.state.withLock { $0.presentation = decide }
    }

    /// The pushes of an action from now on, or of all where none is named; the newest 16 wait for who reads them.
    ///
    /// The one by whose notification the person has opened the app may have come before: within a minute it is the first of
    /// who asks first.
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

    // MARK: What the system says

    /// How a push is shown while the app is on the screen.
    public func presentation(of push: Push) -> PushPresentation {
        self.state.withLock { $0.presentation }(push)
    }

    /// Hands a push to its handler, and returns what came of it, within the deadline.
    public func handle(_ push: Push) async -> PushResult {
        guard !self.isRepeated(push) else { return .noData }
        let (handler, isWatched, clock) = self.state.withLock { state in
            let watchers = state.watchers.values.filter { $0.action ?? push.action == push.action }
            for watcher in watchers { watcher.continuation.yield(push) }
            // The views of an app that a tap has launched are not there yet.
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
                // Cannot trap: the deadline is a constant.
                "the handler of \"\(push.action.prefix(64))\" took more than \(Int(Self.deadline)) seconds"
            )
        } catch {
            self.log(.error, "the handler of \"\(push.action.prefix(64))\" failed: \(error.kind)")
        }
        return .failed
    }

    /// Hands over what the system has given, where it is a push at all.
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

    /// One push that is both an alert and for the background is told twice to an app that is on the screen.
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

/// The time for something is over.
struct TimeoutError: Error {}

/// Runs something, and does not wait for it beyond a deadline; it is cancelled then.
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
            // First, since what is cancelled may end at once, and as if it was done.
            finish(.failure(TimeoutError()))
            work.cancel()
        }
        Task {
            finish(await work.result)
            timer.cancel()
        }
    }
}
