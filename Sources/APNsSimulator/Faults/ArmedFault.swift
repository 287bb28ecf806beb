// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// A fault that has been injected, and how far it has come.
public struct ArmedFault: Sendable, Hashable {
    /// What it is called from now on: 1 for the first.
    public let id: Int
    /// What was injected.
    public let fault: SimulatorFault
    /// How many requests it has struck.
    public private(set) var struck = 0
    private var dice: SplitMix64
    private let token: [UInt8]?
    private let bundleID: [UInt8]?

    init(id: Int, fault: SimulatorFault) {
        self.id = id
        self.fault = fault
        self.dice = SplitMix64(seed: fault.seed)
        self.token = fault.match.token.map { Array($0.lowercased().utf8) }
        self.bundleID = fault.match.bundleID.map { Array($0.utf8) }
    }

    /// Whether it has struck as often as it was to.
    public var isSpent: Bool { self.fault.count.map { self.struck >= $0 } ?? false }

    /// Whether the request is struck; takes note of it.
    mutating func strikes(_ request: RequestHead) -> Bool {
        guard !self.isSpent, self.matches(request) else { return false }
        if self.fault.rate < 1, Double.random(in: 0..<1, using: &self.dice) >= self.fault.rate { return false }
        self.struck += 1
        return true
    }

    private func matches(_ request: RequestHead) -> Bool {
        if let token = self.token {
            guard let path = request.value(.path), case .device(let hex) = DevicePath(path),
                hex.count == token.count, zip(hex, token).allSatisfy({ $0 | 0x20 == $1 | 0x20 })
            else { return false }
        }
        if let bundleID = self.bundleID {
            guard let topic = request.value(.topic), Self.topic(topic, belongsTo: bundleID) else { return false }
        }
        return true
    }

    private static func topic(_ topic: UnsafeBufferPointer<UInt8>, belongsTo bundleID: [UInt8]) -> Bool {
        guard topic.count >= bundleID.count, topic[..<bundleID.count].equals(bundleID) else { return false }
        let rest = topic[bundleID.count...]
        return rest.isEmpty || PushKind.suffixes.contains { rest.equals($0) }
    }
}
