// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#if canImport(ActivityKit) && (os(iOS) || os(Linux)) && !targetEnvironment(macCatalyst)
@preconcurrency public import ActivityKit
public import Foundation

/// How many activities of a type the app shows at a time.
public enum ActivityLimit: Sendable {
    /// One: a start while one runs is refused.
    case one
    /// One for each name.
    case many
}

/// Why an activity was not started.
public enum ActivityStartError: Error, Sendable, Equatable {
    /// One of this name runs already, or any where there is to be one.
    case running(String)
    /// The person has switched the app's Live Activities off.
    case disabled
}

/// Something that happened to an activity.
public enum ActivityEvent: Sendable, Hashable {
    /// It is shown; `byApp` says whether the app has started it, or a push has.
    case started(name: String, byApp: Bool)
    /// It has an update token, and the server is told.
    case token(name: String)
    /// It stands differently now.
    case state(name: String, ActivityState)
    /// The person lets the app show Live Activities, or no more.
    case enabled(Bool)
    /// The person lets the app have frequent updates, or no more.
    case frequentUpdates(Bool)
}

/// The app's Live Activities of one type: starts, changes and ends them, and tells the server their tokens.
///
/// ```swift
/// let rides = ActivityCoordinator<RideAttributes> { $0.ride }
/// Task { await rides.run() }
/// try await rides.start(RideAttributes(ride: "42"), state: state)
/// ```
///
/// The server knows an activity by a name, which is made from its attributes: so it is the same for one that a push has
/// started. ``run()`` belongs to the app's launch, also in the background: it tells tokens, and picks up what a push has started.
/// Where a push has started one a second time, as a server may that broke down while it sent, the older one is ended.
@available(iOS 16.2, *)
public actor ActivityCoordinator<Attributes>
where Attributes: ActivityAttributes & Sendable, Attributes.ContentState: Sendable {
    /// What an activity shows.
    public typealias State = Attributes.ContentState

    private let apus: Apus
    private let limit: ActivityLimit
    private let name: @Sendable (Attributes) -> String
    private let instants: @Sendable (Attributes, State) -> [String: Date]
    private var running: [String: RunningActivity<Attributes>] = [:]
    private(set) var watchers: [String: Task<Void, Never>] = [:]
    private var tokens: [String: (token: String, issuedAt: Date)] = [:]
    /// Activities in whose place there is a newer one of their name: the system's ids.
    private var replaced: Set<String> = []
    /// How many tasks are in ``run()``: views at two roots, as two windows have them, are two.
    private var runs = 0
    private let reports = Locked<[UUID: AsyncStream<ActivityEvent>.Continuation]>([:])

    /// The coordinator of a type.
    ///
    /// - Parameters:
    ///   - apus: who tells the server.
    ///   - limit: how many there may be at a time.
    ///   - instants: named moments of an activity, relative to which the server can plan changes.
    ///   - name: the name by which the server knows an activity; 1 to 128 bytes.
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

    // MARK: What the app does

    /// Whether the person lets the app show Live Activities.
    nonisolated public var isEnabled: Bool { ActivityAuthorizationInfo().areActivitiesEnabled }

    /// The names of the activities that are shown and have not ended.
    public var names: [String] { self.running.filter(\.value.isRunning).keys.sorted() }

    /// Starts an activity; the app has to be on the screen.
    ///
    /// - Parameters:
    ///   - attributes: what never changes.
    ///   - state: what it shows first.
    ///   - staleDate: from when on it counts as out of date.
    ///   - relevanceScore: the app's activity with the highest one is shown first.
    /// - Throws: ``ActivityStartError``; `ActivityAuthorizationError` for what the system refuses.
    /// - Returns: its name.
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

    /// Gives an activity new content.
    ///
    /// One that is not shown any more stays as it is.
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
    ///   - name: which one.
    ///   - state: what it shows last; as it is unless given.
    ///   - dismissal: when it leaves the Lock Screen: within four hours, at once, or at a time.
    public func end(_ name: String, state: State? = nil, dismissal: ActivityUIDismissalPolicy = .default) async {
        self.pickUp()
        let content = state.map { ActivityContent(state: $0, staleDate: nil) }
        guard let activity = self.running[name] else { return }
        await activity.end(content, dismissal)
        // The system's word may have come meanwhile, and another activity of the name.
        if self.running[name]?.id == activity.id { self.forget(name, .ended) }
    }

    /// Ends all of them.
    public func endAll(dismissal: ActivityUIDismissalPolicy = .default) async {
        self.pickUp()
        for name in self.names { await self.end(name, dismissal: dismissal) }
    }

    /// What an activity shows.
    public func state(of name: String) -> State? { self.running[name]?.state }

    /// What happens from now on.
    nonisolated public var events: AsyncStream<ActivityEvent> {
        let id = UUID()
        return AsyncStream(bufferingPolicy: .bufferingNewest(64)) { continuation in
            self.reports.withLock { $0[id] = continuation }
            continuation.onTermination = { _ in _ = self.reports.withLock { $0.removeValue(forKey: id) } }
        }
    }

    // MARK: What the system does

    /// Follows the activities, and tells the server what it needs to know, until the task is cancelled.
    ///
    /// It may be called more than once; the activities are followed until the last of the tasks is cancelled.
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

    /// Takes on what an earlier process of the app, or a push, has started, and lets go of what is over.
    ///
    /// Nobody else notices the end of an activity while there is no ``run()``, and what is over must not stand in the way of a start.
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
            // The server is told the newer one's token, and reaches the older one no more.
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

    /// An activity that is over needs no token at the server.
    ///
    /// It is told so in any case: an earlier process of the app may have told it one.
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

    /// The person has switched frequent updates on or off.
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
