// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsClient
import PushModel

/// What a breaker guards: the pushes of one app in one environment with one credential.
///
/// Apps never share one, even where they share a key: what APNs holds against one says nothing of another.
struct Line: Hashable, Sendable {
    let app: AppID
    let environment: APNsEnvironment
    let credential: CredentialID
    let destination: APNsDestination

    /// The line as other processes know it.
    var named: DeliveryPause.Line {
        DeliveryPause.Line(app: self.app, environment: self.environment, credential: self.credential)
    }
}
