// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#if canImport(ActivityKit) && (os(iOS) || os(Linux)) && !targetEnvironment(macCatalyst)
@preconcurrency public import ActivityKit
public import Foundation

/// The maximum number of activities of a type that run at the same time.
public enum ActivityLimit: Sendable {
    /// One activity; a second start throws ``ActivityStartError/running(_:)``.
    case one
    /// One activity per name.
    case many
}

/// The reason why an activity was not started.
public enum ActivityStartError: Error, Sendable, Equatable {
    /// An activity with this name is already running; with ``ActivityLimit/one``, the name can differ.
    case running(String)
    /// The user turned off Live Activities for the app.
    case disabled
}

/// A change of an activity or of the user's settings for Live Activities.
public enum ActivityEvent: Sendable, Hashable {
    /// An activity started; `byApp` is false if a push or an earlier process started it.
    case started(name: String, byApp: Bool)
    /// An activity received an update token, which the kit uploads.
    case token(name: String)
    /// The ActivityKit state of an activity changed.
    case state(name: String, ActivityState)
    /// The user turned Live Activities on or off for the app.
    case enabled(Bool)
    /// The user turned frequent updates on or off for the app.
    case frequentUpdates(Bool)
}

/// Starts, updates and ends the Live Activities of one attributes type, and uploads their tokens.
///
/// ```swift
/// let rides = ActivityCoordinator<RideAttributes> { $0.ride }
/// Task { await rides.run() }
/// try await rides.start(RideAttributes(ride: "42"), state: state)
/// ```
///
/// A name identifies an activity on the server. The name is computed from the attributes, so it is also known for an
/// activity that a push started.
///
/// Call ``run()`` at every launch, including background launches. It uploads tokens and adopts activities that a push
/// started. If a push starts an activity twice, for example after a server crash, the older one is ended.
@available(iOS 16.2, *)
public actor ActivityCoordinator<Attributes>
where Attributes: ActivityAttributes & Sendable, Attributes.ContentState: Sendable {
    /// The content state of an activity.
    public typealias State = Attributes.ContentState

    private let apus: Apus
    private let limit: ActivityLimit
    private let name: @Sendable (Attributes) -> String
    private let instants: @Sendable (Attributes, State) -> [String: Date]
    private var running: [String: RunningActivity<Attributes>] = [:]
    private(set) var watchers: [String: Task<Void, Never>] = [:]
    private var tokens: [String: (token: String, issuedAt: Date)] = [:]
    /// The ActivityKit IDs of activities that a newer one with the same name replaced.
    private var replaced: Set<String> = []
    /// The number of tasks in ``run()``; an app with two windows has two.
    private var runs = 0
    private let reports = Locked<[UUID: AsyncStream<ActivityEvent>.Continuation]>([:])

    /// Creates the coordinator of an attributes type.
    ///
    /// - Parameters:
    ///   - apus: The kit that uploads the tokens.
    ///   - limit: The maximum number of activities that run at the same time.
    ///   - instants: Returns the named instants of an activity; the server can schedule transitions relative to them.
    ///   - name: Returns the name that identifies an activity on the server; 1 to 128 bytes.
    public init(
        apus: Apus = .shared,
        limit: ActivityLimit = .many,
        instants: @escaping @Sendable (Attributes, State) -> [String: Date] = { _, _ in [:] },
        name: @escaping @Sendable (Attributes) -> String
    ) {
        self.apus = apus
        self.limit = limit
        self.instants = instants
        self.name = name
    }

    // MARK: Calls from the app

    /// Whether the user allows Live Activities for the app.
    nonisolated public var isEnabled: Bool { ActivityAuthorizationInfo().areActivitiesEnabled }

    /// The names of the running activities, sorted; includes those of earlier processes of the app.
    public var names: [String] {
        self.pickUp()
        return self.running.filter(\.value.isRunning).keys.sorted()
    }

    /// Starts an activity; the app must be in the foreground.
    ///
    /// - Parameters:
    ///   - attributes: The static attributes.
    ///   - state: The initial content state.
    ///   - staleDate: The date at which the system considers the content outdated.
    ///   - relevanceScore: The rank among the app's activities; the highest comes first.
    /// - Throws: ``ActivityStartError``, or `ActivityAuthorizationError` from the system.
    /// - Returns: The name of the activity.
    @discardableResult
    public func start(
        _ attributes: Attributes,
        state: State,
        staleDate: Date? = nil,
        relevanceScore: Double = 0
    ) throws -> String {
        let name = self.name(attributes)
        guard self.isEnabled else { throw ActivityStartError.disabled }
        self.pickUp()
        let other = self.limit == .one ? self.running.keys.first : self.running[name].map { _ in name }
        if let other { throw ActivityStartError.running(other) }
        let activity = RunningActivity(
            try Activity.request(
                attributes: attributes,
                content: ActivityContent(state: state, staleDate: staleDate, relevanceScore: relevanceScore),
                pushType: .token
            )
        )
        self.adopt(activity, byApp: true)
        return name
    }

    /// Updates the content of an activity.
    ///
    /// The call has no effect if no activity with this name is running.
    public func update(
        _ name: String,
        to state: State,
        staleDate: Date? = nil,
        relevanceScore: Double = 0,
        alert: AlertConfiguration? = nil
    ) async {
        self.pickUp()
        let content = ActivityContent(state: state, staleDate: staleDate, relevanceScore: relevanceScore)
        await self.running[name]?.update(content, alert)
    }

    /// Ends an activity.
    ///
    /// - Parameters:
    ///   - name: The name of the activity.
    ///   - state: The final content state; `nil` keeps the current one.
    ///   - dismissal: When the system removes it from the Lock Screen: within four hours, immediately, or at a date.
    public func end(_ name: String, state: State? = nil, dismissal: ActivityUIDismissalPolicy = .default) async {
        self.pickUp()
        let content = state.map { ActivityContent(state: $0, staleDate: nil) }
        guard let activity = self.running[name] else { return }
        await activity.end(content, dismissal)
        // Meanwhile the system can have reported the end, and another activity with this name can have started.
        if self.running[name]?.id == activity.id { self.forget(name, .ended) }
    }

    /// Ends all running activities.
    public func endAll(dismissal: ActivityUIDismissalPolicy = .default) async {
        for name in self.names { await self.end(name, dismissal: dismissal) }
    }

    /// Returns the content state of a running activity; `nil` if there is none with this name.
    public func state(of name: String) -> State? {
        self.pickUp()
        return self.running[name]?.state
    }

    /// A stream of events from now on, which buffers the latest 64.
    nonisolated public var events: AsyncStream<ActivityEvent> {
        let id = UUID()
        return AsyncStream(bufferingPolicy: .bufferingNewest(64)) { continuation in
            self.reports.withLock { $0[id] = continuation }
            continuation.onTermination = { _ in _ = self.reports.withLock { $0.removeValue(forKey: id) } }
        }
    }

    // MARK: Changes from the system

    /// Observes the activities, and uploads their tokens and ends, until the task is cancelled.
    ///
    /// Several tasks can call it. The activities are observed until the last of these tasks is cancelled.
    public func run() async {
        self.runs += 1
        for activity in self.running.values { self.watch(activity) }
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                await Activity<Attributes>.activityUpdates.follow {
                    await self.pickUp()
                } then: { activity in
                    await self.adopt(RunningActivity(activity), byApp: false)
                }
            }
            group.addTask {
                for await isEnabled in ActivityAuthorizationInfo().activityEnablementUpdates {
                    self.report(.enabled(isEnabled))
                }
            }
            group.addTask {
                for await isEnabled in ActivityAuthorizationInfo().frequentPushEnablementUpdates {
                    self.report(.frequentUpdates(isEnabled))
                    await self.tellAll()
                }
            }
            if #available(iOS 17.2, *) {
                group.addTask {
                    await Activity<Attributes>.pushToStartTokenUpdates.values {
                        Activity<Attributes>.pushToStartToken
                    } tell: { token in
                        self.tellStart(token.hexadecimal)
                    }
                }
            }
            await group.waitForAll()
        }
        self.runs -= 1
        guard self.runs == 0 else { return }
        for watcher in self.watchers.values { watcher.cancel() }
        self.watchers = [:]
    }

    /// Adopts activities that an earlier process or a push started, and removes ended ones.
    ///
    /// Without ``run()``, no other code notices the end of an activity, and an ended activity must not prevent a start.
    private func pickUp() {
        for (name, activity) in self.running where !activity.isRunning {
            self.take(activity.activityState, of: name, activity.id)
        }
        let activities = Activity<Attributes>.activities.map { RunningActivity($0) }
        self.replaced.formIntersection(activities.map(\.id))
        for activity in activities { self.adopt(activity, byApp: false) }
    }

    private func adopt(_ activity: RunningActivity<Attributes>, byApp: Bool) {
        let name = self.name(activity.attributes)
        guard activity.isRunning, !self.replaced.contains(activity.id) else { return }
        if let older = self.running.updateValue(activity, forKey: name) {
            guard older.id != activity.id else { return }
            // The server receives the newer activity's token, so it can no longer update the older activity.
            if older.isRunning {
                self.replaced.insert(older.id)
                Task { await older.end(nil, .immediate) }
            }
        }
        self.watchers.removeValue(forKey: name)?.cancel()
        self.report(.started(name: name, byApp: byApp))
        if self.runs > 0 || byApp { self.watch(activity) }
    }

    private func watch(_ activity: RunningActivity<Attributes>) {
        let name = self.name(activity.attributes)
        guard self.watchers[name] == nil else { return }
        self.watchers[name] = Task {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await activity.tokens { await self.tell($0, of: name, activity.id) } }
                group.addTask { await activity.states { await self.take($0, of: name, activity.id) } }
            }
        }
    }

    private func take(_ state: ActivityState, of name: String, _ id: String) {
        guard self.running[name]?.id == id else { return }
        self.report(.state(name: name, state))
        switch state {
        case .ended: self.forget(name, .ended)
        case .dismissed: self.forget(name, .dismissed)
        default: break
        }
    }

    /// Removes an ended activity and reports the end to the server.
    ///
    /// It sends the report even without a token, because an earlier process can have uploaded one.
    private func forget(_ name: String, _ reason: ActivityEndReport.Reason) {
        self.running[name] = nil
        self.tokens[name] = nil
        self.apus.tell(ActivityEndReport(name: name, reason: reason, time: self.apus.now))
        self.watchers.removeValue(forKey: name)?.cancel()
    }

    private func tell(_ token: String, of name: String, _ id: String) {
        guard self.running[name]?.id == id else { return }
        self.tokens[name] = (token, self.apus.now)
        self.report(.token(name: name))
        self.upload(name)
    }

    /// Uploads all tokens again, because their uploads contain the setting for frequent updates.
    private func tellAll() {
        for name in self.tokens.keys { self.upload(name) }
    }

    private func upload(_ name: String) {
        guard let activity = self.running[name], let (token, issuedAt) = self.tokens[name] else { return }
        var members: [String: PushValue] = [
            "attributesType": .string(String(describing: Attributes.self)),
            "frequentUpdates": .bool(ActivityAuthorizationInfo().frequentPushesEnabled),
        ]
        let instants = self.instants(activity.attributes, activity.state)
        if !instants.isEmpty { members["instants"] = .object(instants.mapValues { .string($0.formatted(.iso8601)) }) }
        do {
            members["attributes"] = try PushValue(encoding: activity.attributes)
            members["contentState"] = try PushValue(encoding: activity.state)
        } catch {
            self.apus.log(.error, "the content of \(name) cannot be written as JSON: \(error.kind)")
        }
        self.apus.tell(
            ActivityUpload(subject: .activity(name), token: token, issuedAt: issuedAt, members: members)
        )
    }

    nonisolated private func tellStart(_ token: String) {
        let type = String(describing: Attributes.self)
        self.apus.tell(ActivityUpload(subject: .start(attributesType: type), token: token, issuedAt: self.apus.now))
    }

    nonisolated private func report(_ event: ActivityEvent) {
        for continuation in self.reports.withLock({ Array($0.values) }) { continuation.yield(event) }
    }
}
#endif
