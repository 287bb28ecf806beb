// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
import HTTP2Session
import Synchronization

/// The injected faults, in their order, separately for requests, connections and reachability.
struct ActiveFaults: Sendable {
    private var requests: [ActiveFault] = []
    private var connections: [ActiveFault] = []
    private var listening: [ActiveFault] = []
    private var nextID = 1

    /// Whether no fault can strike a request.
    var isEmpty: Bool { self.requests.isEmpty }

    /// Whether no fault can strike a connection.
    var sparesConnections: Bool { self.connections.isEmpty }

    /// The faults that can still match or hold responses, in the order of injection.
    func faults(now: Double) -> [ActiveFault] {
        (self.requests + self.connections + self.listening).filter { !$0.isForgotten(now: now) }
            .sorted { $0.id < $1.id }
    }

    mutating func add(_ fault: SimulatorFault, script: String = "", now: Double) -> ActiveFault {
        let armed = ActiveFault(id: self.nextID, fault: fault, script: script, now: now)
        self.nextID += 1
        switch fault.occasion {
        case .request: self.requests.append(armed)
        case .connection: self.connections.append(armed)
        case .listening: self.listening.append(armed)
        }
        return armed
    }

    /// Releases the held responses.
    func release() {
        for fault in self.requests { fault.hold?.release() }
    }

    /// Removes all faults and releases their held responses.
    mutating func removeAll() {
        self.release()
        self.requests.removeAll()
        self.connections.removeAll()
        self.listening.removeAll()
    }

    /// Removes one fault and releases its held responses.
    ///
    /// Returns whether it existed.
    mutating func remove(_ id: Int) -> Bool {
        let count = self.requests.count + self.connections.count + self.listening.count
        for fault in self.requests where fault.id == id { fault.hold?.release() }
        self.requests.removeAll { $0.id == id }
        self.connections.removeAll { $0.id == id }
        self.listening.removeAll { $0.id == id }
        return self.requests.count + self.connections.count + self.listening.count < count
    }

    /// The fault that strikes this request, which is the first that does.
    ///
    /// One that is over is removed. A request that names no topic has that of the certificate in `trust`.
    mutating func strike(
        _ request: RequestHead,
        trust: ConnectionAuthentication = ConnectionAuthentication(),
        now: Double
    ) -> FaultEffect? {
        var struck: FaultEffect?
        var hasEnded = false
        for index in self.requests.indices {
            struck = self.requests[index].strike(request, trust: trust, now: now)
            hasEnded = hasEnded || self.requests[index].isForgotten(now: now)
            if struck != nil { break }
        }
        if hasEnded { self.requests.removeAll { $0.isForgotten(now: now) } }
        return struck
    }

    /// Creates the plan of a new connection from all faults that match it.
    mutating func plan(now: Double) -> ConnectionFaultPlan {
        var plan = ConnectionFaultPlan()
        for index in self.connections.indices { self.connections[index].strike(&plan, now: now) }
        self.connections.removeAll { $0.isOver(now: now) }
        return plan
    }

    /// Whether the provider port can be reached.
    func isReachable(now: Double) -> Bool { !self.listening.contains { $0.isOpen(now: now) } }

    /// The time of the next change of the provider port's reachability, or `nil` if none is scheduled.
    func nextReachabilityChange(after now: Double) -> Double? {
        self.listening.flatMap { fault in
            [fault.fault.window.from, fault.fault.window.until ?? .infinity].map { fault.armedAt + $0 }
        }.filter { $0 > now && $0 < .infinity }.min()
    }
}

/// A fault that has been injected, and how far it has come.
public struct ActiveFault: Sendable, Hashable {
    /// The ID: 1 for the first fault.
    public let id: Int
    /// The injected fault; its seed is set.
    public let fault: SimulatorFault
    /// The script that it came with; empty for one that came alone.
    public let script: String
    /// When it was injected, in seconds since 1970.
    public let armedAt: Double
    /// How many requests or connections it has struck.
    public private(set) var struck = 0
    /// How many matched, struck or not.
    public private(set) var matched = 0
    /// The release signal for the responses that it holds; `nil` for a fault that holds none.
    let hold: ResponseHold?
    private var dice: SplitMix64
    private let token: [UInt8]?
    private let bundleID: [UInt8]?

    init(id: Int, fault: SimulatorFault, script: String = "", now: Double) {
        var fault = fault
        fault.seed = fault.seed ?? 0
        self.id = id
        self.fault = fault
        self.script = script
        self.armedAt = now
        self.hold = fault.action == .hold ? ResponseHold() : nil
        self.dice = SplitMix64(seed: fault.seed ?? 0)
        self.token = fault.match.token.map { Array($0.lowercased().utf8) }
        self.bundleID = fault.match.bundleID.map { Array($0.utf8) }
    }

    /// Whether it has struck as often as it was to.
    public var isSpent: Bool { self.fault.count.map { self.struck >= $0 } ?? false }

    /// Whether it can never strike again.
    func isOver(now: Double) -> Bool {
        self.isSpent || self.fault.window.until.map { now >= self.armedAt + $0 } ?? false
    }

    /// Whether it is removed automatically now; a fault that holds responses stays until it is removed explicitly.
    func isForgotten(now: Double) -> Bool { self.hold == nil && self.isOver(now: now) }

    /// Whether its window is open.
    func isOpen(now: Double) -> Bool {
        now >= self.armedAt + self.fault.window.from && !self.isOver(now: now)
    }

    /// Returns the effect on the request, if the fault matches it, and counts the match.
    mutating func strike(_ request: RequestHead, trust: ConnectionAuthentication, now: Double) -> FaultEffect? {
        guard self.isOpen(now: now), self.matches(request, trust), self.draws() else { return nil }
        let fault = self.fault
        var strike = FaultEffect(action: fault.action, processesRequest: fault.processesRequest, hold: self.hold)
        switch fault.action {
        case .latency(let distribution): strike.action = .delay(distribution.draw(using: &self.dice))
        case .goAway(_, _, let lastStreamID?):
            // Streams up to the last stream of the GOAWAY are served.
            strike.processesRequest = strike.processesRequest || request.streamID <= lastStreamID
        default: break
        }
        return strike
    }

    /// Adds the fault to the plan of a new connection, if it matches, and counts the match.
    mutating func strike(_ plan: inout ConnectionFaultPlan, now: Double) {
        guard case .connection(let fault) = self.fault.action, self.isOpen(now: now), self.draws() else { return }
        plan.add(fault, dice: &self.dice)
    }

    /// Counts one more matching request or connection.
    private mutating func draws() -> Bool {
        self.matched += 1
        guard self.matched > self.fault.skip else { return false }
        if self.fault.rate < 1, Double.random(in: 0..<1, using: &self.dice) >= self.fault.rate { return false }
        self.struck += 1
        return true
    }

    private func matches(_ request: RequestHead, _ trust: ConnectionAuthentication) -> Bool {
        if let token = self.token {
            guard let path = request.value(.path), case .device(let hex) = DevicePath(path),
                hex.count == token.count, zip(hex, token).allSatisfy({ $0 | 0x20 == $1 | 0x20 })
            else { return false }
        }
        if let bundleID = self.bundleID {
            return Self.concerns(request, trust, bundleID)
        }
        return true
    }

    /// Whether a request is about an app: by its path, its topic, or the only topic of the certificate.
    private static func concerns(_ request: RequestHead, _ trust: ConnectionAuthentication, _ bundleID: [UInt8]) -> Bool
    {
        if let path = request.value(.path), let channels = ChannelPath(path) {
            return channels.bundleID.utf8.elementsEqual(bundleID)
        }
        if let topic = request.value(.topic) { return self.topic(topic, belongsTo: bundleID) }
        return trust.certificate?.defaultTopic?.withUnsafeBufferPointer {
            self.topic($0, belongsTo: bundleID)
        } ?? false
    }

    private static func topic(_ topic: UnsafeBufferPointer<UInt8>, belongsTo bundleID: [UInt8]) -> Bool {
        guard topic.count >= bundleID.count, topic[..<bundleID.count].equals(bundleID) else { return false }
        let rest = topic[bundleID.count...]
        return rest.isEmpty || PushTypeRules.suffixes.contains { rest.equals($0) }
    }
}

/// The effect of a fault on one request.
struct FaultEffect: Sendable {
    /// The action; a random delay is already drawn.
    var action: SimulatorFault.Action
    /// Whether the rules are asked and the notification is delivered all the same.
    var processesRequest: Bool
    /// The time until which the response is delayed, if it is.
    var hold: ResponseHold?
}

/// The release signal for the responses that a fault holds.
///
/// The fault and its matched streams share it. Each injection has its own: a later fault with the same ID, for example
/// after a reset, does not release these responses.
final class ResponseHold: Sendable {
    private let isOver = Atomic(false)

    /// Whether the fault was taken away.
    var isReleased: Bool { self.isOver.load(ordering: .acquiring) }

    /// Releases the held responses, because the fault was removed.
    func release() { self.isOver.store(true, ordering: .releasing) }
}

extension ResponseHold: Hashable {
    static func == (left: ResponseHold, right: ResponseHold) -> Bool { left === right }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// The combined effect of all faults that match a new connection.
struct ConnectionFaultPlan: Sendable, Equatable {
    /// A GOAWAY in the place of the first SETTINGS.
    struct FirstGoAway: Sendable, Equatable {
        var frame: [UInt8]
        /// The last stream that is taken, as the frame says.
        var lastStreamID: Int32
    }

    var isRefused = false
    var acceptDelay: Duration = .zero
    var tls: TLSFault?
    var goAwayFirst: FirstGoAway?
    var settings: SettingsOverride?
    var cuts: [ConnectionCut] = []
    var roundTrip: Duration = .zero
    var fragmentSize: Int?

    /// Adds one fault; times are drawn from its random generator.
    mutating func add(_ fault: ConnectionFault, dice: inout SplitMix64) {
        switch fault {
        case .refuse: self.isRefused = true
        case .slowAccept(let latency): self.acceptDelay += latency.draw(using: &dice)
        case .tls(let fault): self.tls = fault
        case .goAwayFirst(let reason, let code, let lastStreamID):
            let frame = Self.goAway(Rejection(reason).body, code: code, lastStreamID: lastStreamID)
            self.goAwayFirst = FirstGoAway(frame: frame, lastStreamID: lastStreamID)
        case .settings(let change):
            var merged = self.settings ?? SettingsOverride()
            merged.maximumConcurrentStreams = change.maximumConcurrentStreams ?? merged.maximumConcurrentStreams
            merged.initialWindowSize = change.initialWindowSize ?? merged.initialWindowSize
            self.settings = merged
        case .cut(let cut): self.cuts.append(cut)
        case .roundTrip(let latency): self.roundTrip += latency.draw(using: &dice)
        case .fragments(let size): self.fragmentSize = size
        }
    }

    /// A GOAWAY frame (RFC 9113 section 6.8).
    private static func goAway(_ debugData: [UInt8], code: HTTP2ErrorCode, lastStreamID: Int32) -> [UInt8] {
        func bytes(_ value: UInt32) -> [UInt8] {
            [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
        }
        let length = UInt32(8 + debugData.count)
        return bytes(length).dropFirst() + [7, 0] + bytes(0) + bytes(UInt32(bitPattern: lastStreamID))
            + bytes(code.rawValue) + debugData
    }
}

/// Faults that belong together: the failures of a test run, and their times.
///
/// The same script matches the same requests and connections again, if these arrive in the same order at the same
/// times: all random values derive from a seed.
public struct FaultScript: Sendable, Hashable {
    /// The name in listings; empty by default.
    public var name: String
    /// The random seed of the steps without a seed.
    ///
    /// Default: 0.
    public var seed: UInt64
    /// The faults; if several steps match the same request, the first applies.
    public var steps: [SimulatorFault]

    /// A script.
    public init(name: String = "", seed: UInt64 = 0, steps: [SimulatorFault]) {
        self.name = name
        self.seed = seed
        self.steps = steps
    }

    /// The steps, each with a seed: its own, or one derived from the script's seed and its index.
    var seededSteps: [SimulatorFault] {
        var seeds = SplitMix64(seed: self.seed)
        return self.steps.map { step in
            let drawn = seeds.next()
            var step = step
            // 53 bits: every program that reads JSON can read them and hand them in again.
            step.seed = step.seed ?? drawn >> 11
            return step
        }
    }
}

extension FaultScript {
    /// Parses a script in the JSON format of the control API: an object with `steps`, or one fault.
    ///
    /// - Throws: ``InvalidValueError`` with the member, the rule and the invalid value.
    public init(json: [UInt8]) throws(InvalidValueError) {
        do {
            self = try FaultParser.script(try JSONRequestBody(json))
        } catch {
            throw InvalidValueError(
                field: error.field ?? "fault script",
                rule: error.rule ?? "a JSON object",
                value: error.value ?? error.detail
            )
        }
    }
}
