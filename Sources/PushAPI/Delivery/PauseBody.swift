// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What stands in the way of sending, as it is written: what a process that delivers found out of an environment and a
/// credential.
struct PauseBody: Encodable {
    let environment: APNsEnvironment
    let credential: String
    let cause: String
    let reason: String
    let since: Date
    let nextAttempt: Date

    init(_ pause: DeliveryPause) {
        self.environment = pause.line.environment
        self.credential = pause.line.credential.rawValue
        self.cause = pause.cause
        self.reason = pause.reason
        self.since = pause.since
        self.nextAttempt = pause.nextAttempt
    }
}
