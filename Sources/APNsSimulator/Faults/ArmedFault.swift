// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

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
