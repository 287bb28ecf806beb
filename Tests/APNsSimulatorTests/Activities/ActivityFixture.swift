// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Testing

@testable import APNsSimulator

/// The activities of one device without a world around them: makes tokens as the world would, keeps its reminders, and
/// moves the time.
struct ActivityFixture {
    static let start: Double = 1_760_000_000
    static let app = "com.example.app"
    static let type = "RidingAttributes"
    static let device = VirtualDeviceID(rawValue: "device")
    static let hour: Double = 3600

    var book = ActivityRegistry()
    var switches = ActivityOptions()
    var now = ActivityFixture.start
    var host = ActivityFixture.host(18)
    var channels: Set<String> = []
    private(set) var log: [ActivityLogEntry] = []
    private(set) var calls: [String] = []
    private(set) var endedTokens: [TokenKey] = []
    private(set) var rotations = 0
    private(set) var subscriptions: [ActivityID: String] = [:]
    private var reminders: [(due: Double, id: ActivityID)] = []
    private var ids = 0

    /// The members of an update that changes something.
    static func update(_ timestamp: Double, _ state: JSONValue = ["fee": 400]) -> [String: JSONValue] {
        ["event": "update", "timestamp": .double(timestamp), "content-state": state]
    }

    /// The members of a start that starts something.
    static func start(_ timestamp: Double) -> [String: JSONValue] {
        [
            "event": "start", "timestamp": .double(timestamp), "content-state": ["fee": 0], "attributes": [:],
            "attributes-type": .string(Self.type), "alert": ["title": "Ride", "body": "started"],
        ]
    }

    static func end(_ timestamp: Double) -> [String: JSONValue] {
        ["event": "end", "timestamp": .double(timestamp), "content-state": ["fee": 900]]
    }

    /// An iPhone with the app on its screen.
    static func host(_ major: Int, _ minor: Int = 0) -> ActivityDeviceContext {
        ActivityDeviceContext(
            device: Self.device,
            system: SystemVersion(major: major, minor: minor),
            isForeground: true
        )
    }

    private mutating func nextID() -> ActivityID {
        self.ids += 1
        return ActivityID(rawValue: "activity-\(self.ids)")
    }

    /// Lets the app ask for an activity.
    @discardableResult
    mutating func request(
        pushType: ActivityPushType = .token,
        relevanceScore: Double = 0,
        bundleID: String = ActivityFixture.app,
        change: (inout ActivityRequest) -> Void = { _ in }
    ) throws(ActivityAuthorizationError) -> ActivityID {
        var request = ActivityRequest(
            bundleID: bundleID,
            attributesType: Self.type,
            contentState: ["fee": 0],
            relevanceScore: relevanceScore,
            pushType: pushType
        )
        change(&request)
        let id = self.nextID()
        let channels = self.channels
        let effects = try self.book.request(
            request,
            id: id,
            host: self.host,
            switches: self.switches,
            now: self.now,
            channelExists: { channels.contains($0) }
        )
        self.perform(effects)
        return id
    }

    /// Sends a push to an activity's token.
    ///
    /// Returns why nothing changed, or `nil`.
    @discardableResult
    mutating func push(
        _ aps: [String: JSONValue],
        to id: ActivityID,
        isUrgent: Bool = false,
        acceptedAt: Double? = nil
    ) throws -> ActivityIgnoreReason? {
        let payload = try JSONValue.object(["aps": .object(aps)]).json()
        return self.receive(payload, .token(id), isUrgent: isUrgent, acceptedAt: acceptedAt)
    }

    @discardableResult
    mutating func broadcast(_ aps: [String: JSONValue], to id: ActivityID) throws -> ActivityIgnoreReason? {
        let payload = try JSONValue.object(["aps": .object(aps)]).json()
        return self.receive(payload, .broadcast(id))
    }

    /// Sends a push to the token that starts activities.
    ///
    /// Returns why none started, or `nil`.
    @discardableResult
    mutating func pushToStart(_ aps: [String: JSONValue]) throws -> ActivityIgnoreReason? {
        let payload = try JSONValue.object(["aps": .object(aps)]).json()
        return self.receive(payload, .pushToStart(attributesType: Self.type))
    }

    @discardableResult
    mutating func receive(
        _ payload: [UInt8],
        _ way: ActivityPushDelivery.Way,
        isUrgent: Bool = false,
        acceptedAt: Double? = nil
    ) -> ActivityIgnoreReason? {
        let arrival = ActivityPushDelivery(
            host: self.host,
            bundleID: Self.app,
            way: way,
            payload: payload,
            isUrgent: isUrgent,
            apnsID: APNsID(high: 1, low: 2),
            acceptedAt: acceptedAt ?? self.now
        )
        let channels = self.channels
        let id = self.nextID()
        let before = self.log.count
        self.perform(
            self.book.receive(arrival, newID: id, switches: self.switches, now: self.now) { channels.contains($0) }
        )
        return self.log[before...].first { $0.entry.change == .ignored }?.entry.cause
    }

    mutating func swipeAway(_ id: ActivityID) {
        self.perform(self.book.swipeAway(id, switches: self.switches, now: self.now))
    }

    mutating func answer(allows: Bool) {
        self.perform(
            self.book.answer(
                allows: allows,
                device: Self.device,
                bundleID: Self.app,
                switches: self.switches,
                now: self.now
            )
        )
    }

    mutating func configure(_ change: (inout ActivitySettings) -> Void) {
        var settings = self.book[Self.device, Self.app].settings
        change(&settings)
        self.perform(
            self.book.configure(
                settings,
                device: Self.device,
                bundleID: Self.app,
                switches: self.switches,
                now: self.now
            )
        )
    }

    mutating func update(_ id: ActivityID, _ content: ActivityContent) {
        self.perform(self.book.update(id, content, now: self.now))
    }

    mutating func end(_ id: ActivityID, dismissal: ActivityDismissalPolicy = .default) {
        self.perform(
            self.book.end(id, nil, dismissal: dismissal, switches: self.switches, now: self.now)
        )
    }

    mutating func rotateToken(_ id: ActivityID) { self.perform(self.book.rotateToken(id)) }

    /// Moves the time on; what is due happens at its own time.
    mutating func advance(by seconds: Double) {
        let target = self.now + seconds
        while let place = self.reminders.indices.min(by: { self.reminders[$0].due < self.reminders[$1].due }),
            self.reminders[place].due <= target
        {
            let reminder = self.reminders.remove(at: place)
            self.now = max(self.now, reminder.due)
            self.perform(self.book.look(at: reminder.id, switches: self.switches, now: self.now))
        }
        self.now = target
    }

    /// What there is of an activity.
    func record(_ id: ActivityID, sourceLocation: SourceLocation = #_sourceLocation) throws -> ActivityRecord {
        try #require(self.book[id], sourceLocation: sourceLocation)
    }

    /// What happened to an activity, in words.
    func changes(_ id: ActivityID) -> [ActivityTimelineEntry.Change] {
        self.book[id]?.timeline.map(\.change) ?? []
    }

    /// The activity that was added last.
    var newest: ActivityID { ActivityID(rawValue: "activity-\(self.ids)") }

    private mutating func perform(_ effects: [ActivityEffect]) {
        for effect in effects {
            switch effect {
            case .look(let id, let due): self.reminders.append((due, id))
            case .issueToken(let id):
                self.ids += 1
                let key = TokenKey(bytes: [UInt8](repeating: UInt8(self.ids), count: 80))
                self.perform(self.book.takeToken(key, for: id, switches: self.switches, now: self.now))
            case .endToken(let key): self.endedTokens.append(key)
            case .rotatePushToStart: self.rotations += 1
            case .record(let entry): self.log.append(entry)
            case .appCall(_, _, let call, _): self.calls.append(call.rawValue)
            case .subscribe(let id, let channel): self.subscriptions[id] = channel
            case .unsubscribe(let id, _): self.subscriptions[id] = nil
            }
        }
    }
}
