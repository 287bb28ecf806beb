// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
import HTTP2Session
import Synchronization

/// The faults that have been injected, in that order, apart by what they strike.
struct FaultTable: Sendable {
    private var requests: [ArmedFault] = []
    private var connections: [ArmedFault] = []
    private var listening: [ArmedFault] = []
    private var nextID = 1

    /// Whether no fault can strike a request.
    var isEmpty: Bool { self.requests.isEmpty }

    /// Whether no fault can strike a connection.
    var sparesConnections: Bool { self.connections.isEmpty }

    /// Every fault that can still strike or holds answers back, in the order of injection.
    func faults(now: Double) -> [ArmedFault] {
        (self.requests + self.connections + self.listening).filter { !$0.isForgotten(now: now) }
            .sorted { $0.id < $1.id }
    }

    mutating func add(_ fault: SimulatorFault, script: String = "", now: Double) -> ArmedFault {
        let armed = ArmedFault(id: self.nextID, fault: fault, script: script, now: now)
        self.nextID += 1
        switch fault.occasion {
        case .request: self.requests.append(armed)
        case .connection: self.connections.append(armed)
        case .listening: self.listening.append(armed)
        }
        return armed
    }

    /// Lets the answers go that faults hold back.
    func release() {
        for fault in self.requests { fault.hold?.release() }
    }

    /// Takes all faults away; the answers that they hold back may go.
    mutating func removeAll() {
        self.release()
        self.requests.removeAll()
        self.connections.removeAll()
        self.listening.removeAll()
    }

    /// Takes one fault away; the answers that it holds back may go.
    ///
    /// Returns whether it was there.
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
        trust: ConnectionTrust = ConnectionTrust(),
        now: Double
    ) -> FaultStrike? {
        var struck: FaultStrike?
        var hasEnded = false
        for index in self.requests.indices {
            struck = self.requests[index].strike(request, trust: trust, now: now)
            hasEnded = hasEnded || self.requests[index].isForgotten(now: now)
            if struck != nil { break }
        }
        if hasEnded { self.requests.removeAll { $0.isForgotten(now: now) } }
        return struck
    }

    /// What is planned for a new connection; all faults that strike it take part.
    mutating func plan(now: Double) -> ConnectionPlan {
        var plan = ConnectionPlan()
        for index in self.connections.indices { self.connections[index].strike(&plan, now: now) }
        self.connections.removeAll { $0.isOver(now: now) }
        return plan
    }

    /// Whether the provider port can be reached.
    func isReachable(now: Double) -> Bool { !self.listening.contains { $0.isOpen(now: now) } }

    /// When the provider port can next be reached or not; `nil` if that does not change by itself.
    func nextReachabilityChange(after now: Double) -> Double? {
        self.listening.flatMap { fault in
            [fault.fault.window.from, fault.fault.window.until ?? .infinity].map { fault.armedAt + $0 }
        }.filter { $0 > now && $0 < .infinity }.min()
    }
}

/// A fault that has been injected, and how far it has come.
public struct ArmedFault: Sendable, Hashable {
    /// What it is called from now on: 1 for the first.
    public let id: Int
    /// What was injected; its seed is named.
    public let fault: SimulatorFault
    /// The script that it came with; empty for one that came alone.
    public let script: String
    /// When it was injected, in seconds since 1970.
    public let armedAt: Double
    /// How many requests or connections it has struck.
    public private(set) var struck = 0
    /// How many matched, struck or not.
    public private(set) var matched = 0
    /// What the answers wait for that it holds back; `nil` for a fault that holds none.
    let hold: AnswerHold?
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
        self.hold = fault.action == .hold ? AnswerHold() : nil
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

    /// Whether it is forgotten by itself now; one that holds answers back stays until it is taken away.
    func isForgotten(now: Double) -> Bool { self.hold == nil && self.isOver(now: now) }

    /// Whether its window is open.
    func isOpen(now: Double) -> Bool {
        now >= self.armedAt + self.fault.window.from && !self.isOver(now: now)
    }

    /// What happens to the request, if it is struck; takes note of it.
    mutating func strike(_ request: RequestHead, trust: ConnectionTrust, now: Double) -> FaultStrike? {
        guard self.isOpen(now: now), self.matches(request, trust), self.draws() else { return nil }
        let fault = self.fault
        var strike = FaultStrike(action: fault.action, processesRequest: fault.processesRequest, hold: self.hold)
        switch fault.action {
        case .latency(let distribution): strike.action = .delay(distribution.draw(using: &self.dice))
        case .goAway(_, _, let lastStreamID?):
            // What is within the streams that are still answered is served.
            strike.processesRequest = strike.processesRequest || request.streamID <= lastStreamID
        default: break
        }
        return strike
    }

    /// Adds itself to what is planned for a new connection, if that is struck; takes note of it.
    mutating func strike(_ plan: inout ConnectionPlan, now: Double) {
        guard case .connection(let fault) = self.fault.action, self.isOpen(now: now), self.draws() else { return }
        plan.add(fault, dice: &self.dice)
    }

    /// Takes note of one more that matches.
    private mutating func draws() -> Bool {
        self.matched += 1
        guard self.matched > self.fault.skip else { return false }
        if self.fault.rate < 1, Double.random(in: 0..<1, using: &self.dice) >= self.fault.rate { return false }
        self.struck += 1
        return true
    }

    private func matches(_ request: RequestHead, _ trust: ConnectionTrust) -> Bool {
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
    private static func concerns(_ request: RequestHead, _ trust: ConnectionTrust, _ bundleID: [UInt8]) -> Bool {
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
        return rest.isEmpty || PushKind.suffixes.contains { rest.equals($0) }
    }
}

/// What a fault does to one request.
struct FaultStrike: Sendable {
    /// What happens; a time that dice decide is decided.
    var action: SimulatorFault.Action
    /// Whether the rules are asked and the notification is delivered all the same.
    var processesRequest: Bool
    /// Until when the answer waits, where it is held back.
    var hold: AnswerHold?
}

/// Tells the answers that a fault holds back whether they may go.
///
/// The fault and the streams that it has struck share it. It is one of its own for every injection: a later fault that
/// happens to have the same number, as after a reset, has nothing to do with it.
final class AnswerHold: Sendable {
    private let isOver = Atomic(false)

    /// Whether the fault was taken away.
    var isReleased: Bool { self.isOver.load(ordering: .acquiring) }

    /// The fault is taken away: the answers may go from now on.
    func release() { self.isOver.store(true, ordering: .releasing) }
}

extension AnswerHold: Hashable {
    static func == (left: AnswerHold, right: AnswerHold) -> Bool { left === right }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// What all the faults that strike a new connection come to.
struct ConnectionPlan: Sendable, Equatable {
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
    var settings: SettingsChange?
    var cuts: [ConnectionCut] = []
    var roundTrip: Duration = .zero
    var fragmentSize: Int?

    /// Takes in one fault; times are drawn from its dice.
    mutating func add(_ fault: ConnectionFault, dice: inout SplitMix64) {
        switch fault {
        case .refuse: self.isRefused = true
        case .slowAccept(let latency): self.acceptDelay += latency.draw(using: &dice)
        case .tls(let fault): self.tls = fault
        case .goAwayFirst(let reason, let code, let lastStreamID):
            let frame = Self.goAway(Rejection(reason).body, code: code, lastStreamID: lastStreamID)
            self.goAwayFirst = FirstGoAway(frame: frame, lastStreamID: lastStreamID)
        case .settings(let change):
            var merged = self.settings ?? SettingsChange()
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

/// Faults that belong together: what goes wrong in a run, and when.
///
/// The same script strikes the same requests and connections again if these come in the same order and at the same
/// times: every die starts from a seed.
public struct FaultScript: Sendable, Hashable {
    /// What it is called in listings; empty by default.
    public var name: String
    /// What the dice of those steps start from that name no seed of their own.
    ///
    /// Default: 0.
    public var seed: UInt64
    /// What goes wrong; of several steps that strike the same request the first is played.
    public var steps: [SimulatorFault]

    /// A script.
    public init(name: String = "", seed: UInt64 = 0, steps: [SimulatorFault]) {
        self.name = name
        self.seed = seed
        self.steps = steps
    }

    /// The steps, each with a seed: its own, or one made of the script's and its place.
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
    /// A script that is written in JSON, as the control API takes it: an object with `steps`, or a single fault.
    ///
    /// - Throws: ``ValidationFailure`` that names the member, the rule and what stands there.
    public init(json: [UInt8]) throws(ValidationFailure) {
        do {
            self = try FaultDraft.script(try RequestObject(json))
        } catch {
            throw ValidationFailure(
                field: error.field ?? "fault script",
                rule: error.rule ?? "a JSON object",
                value: error.value ?? error.detail
            )
        }
    }
}
