// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// How far an activity is started on the devices of an audience, as much of it as people are told.
struct RolloutAnswer: Decodable, Hashable {
    struct PassedOver: Decodable, Hashable {
        let withoutToken: Int
        let takingPart: Int
        let otherEnvironment: Int
    }

    let id: String
    let state: String
    let reason: String?
    let expected: Int?
    let invited: Int
    let passedOver: PassedOver
    let remaining: Int?

    /// Whether it has ended.
    var isOver: Bool { self.state != "running" }

    /// How far it has come, in a line.
    var summary: String {
        var parts = ["\(self.invited) invited"]
        if self.passedOver.takingPart > 0 { parts.append("\(self.passedOver.takingPart) took part already") }
        if self.passedOver.withoutToken > 0 { parts.append("\(self.passedOver.withoutToken) without a token") }
        if self.passedOver.otherEnvironment > 0 {
            parts.append("\(self.passedOver.otherEnvironment) of the other environment")
        }
        if !self.isOver { parts.append(self.remaining.map { "\($0) left" } ?? "counting") }
        if let reason { parts.append(reason) }
        return "\(self.state): \(parts.joined(separator: ", "))"
    }
}
