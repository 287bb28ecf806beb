// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
package import PushModel

/// Tells how the delivery in this process stands.
package protocol DeliveryInspector: Sendable {
    /// How an app's pushes stand in each environment and with each credential that this process has tried.
    func lines(of app: AppID) -> [DeliveryLine]
}
