// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

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

    /// Injects a fault.
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
