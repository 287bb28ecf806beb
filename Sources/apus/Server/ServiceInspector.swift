// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Delivery
import PushAPI
import PushModel

/// Tells the API, in its own words, how the delivery in this process stands.
struct ServiceInspector: DeliveryInspector {
    let delivery: DeliveryService

    func lines(of app: AppID) -> [DeliveryLine] {
        self.delivery.standings(of: app).map { standing in
            DeliveryLine(
                environment: standing.environment,
                credential: standing.credential,
                state: standing.state.rawValue,
                trouble: standing.trouble.map { .init(cause: $0.cause, reason: $0.reason, since: $0.since) },
                nextAttempt: standing.nextAttempt,
                kinds: Set(standing.kinds)
            )
        }
    }
}
