// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel

/// What one notification of many asks for beside its payload, as it was given: those with equal ones go together.
struct ItemHeaders: Hashable {
    var pushType: PushType?
    var priority: Int?
    var expiration: Int64?
    var collapseID: String?

    init() {}

    /// Takes headers apart, without what goes without saying.
    init(_ headers: NotificationHeaders) {
        self.pushType = headers.pushType == .alert ? nil : headers.pushType
        let isImplied = headers.priority == headers.pushType.rule?.requiredPriority
        self.priority = isImplied ? nil : headers.priority?.rawValue
        self.expiration = headers.expiration?.rawValue
        self.collapseID = headers.collapseID?.rawValue
    }

    /// The headers; `nil` when there is anything wrong with them.
    func valid(for app: AppID) -> NotificationHeaders? {
        let pushType = self.pushType ?? .alert
        guard pushType.rule != nil, let topic = try? Topic(bundleID: app.rawValue, pushType: pushType) else {
            return nil
        }
        var headers = NotificationHeaders(topic: topic, pushType: pushType, priority: nil)
        if let priority {
            headers.priority = Priority(rawValue: priority)
            guard Priority.known.contains(Priority(rawValue: priority)) else { return nil }
        }
        if let expiration {
            guard ContentDraft.expirations.contains(expiration) else { return nil }
            headers.expiration = APNsExpiration(rawValue: expiration)
        }
        if let collapseID {
            guard let valid = try? CollapseID(collapseID) else { return nil }
            headers.collapseID = valid
        }
        return headers.validate(payloadSize: 1).isEmpty ? headers : nil
    }
}
