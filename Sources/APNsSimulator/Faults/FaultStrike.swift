// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// What a fault does to one request.
struct FaultStrike: Sendable {
    /// What happens; a time that dice decide is decided.
    var action: SimulatorFault.Action
    /// Whether the rules are asked and the notification is delivered all the same.
    var processesRequest: Bool
    /// Until when the answer waits, where it is held back.
    var hold: AnswerHold?
}
