// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import SNSProtocol
import Topics

/// Who is to be subscribed to a topic, and which messages are wanted.
struct SubscriptionRequest: Sendable {
    static let members = ["device", "user", "filter", "filterScope"]
    var subscriber: Subscriber
    var filter: SubscriptionFilter?
}

extension SubscriptionRequest {
    init(_ body: [UInt8], app: AppID) throws(Problem) {
        var subscribers: [Subscriber] = []
        var given = 0
        var policy: String?
        var scope: FilterScopeValue?
        self = try JSONReader.read(body, members: Self.members) { reader, member, path throws(JSONSyntaxError) in
            switch member {
            case "device":
                given += 1
                if let id = try reader.value(path, DeviceID.init(validating:)) {
                    subscribers.append(.device(app, id))
                }
            case "user":
                given += 1
                if let id = try reader.value(path, UserID.init(validating:)) { subscribers.append(.user(app, id)) }
            case "filter": policy = try reader.rawObject(path).map { String(decoding: $0, as: UTF8.self) }
            default: scope = try reader.oneOf(FilterScopeValue.self, path)
            }
        } finish: { reader in
            if given != 1 {
                let got = given == 0 ? "none" : "both"
                reader.faults.add(.root, expected: "exactly one of the members 'device', 'user'", got: got)
            }
            if policy == nil, scope != nil {
                reader.faults.add(FieldPath.root.member("filterScope"), expected: "also a 'filter'", got: "none")
            }
            let filter = policy.flatMap { Self.filter($0, scope ?? .attributes, &reader) }
            return subscribers.first.map { SubscriptionRequest(subscriber: $0, filter: filter) }
        }
    }

    /// A filter policy that was checked; `nil` for one that wants every message, and for one that is none, which is
    /// noted.
    private static func filter(
        _ policy: String,
        _ scope: FilterScopeValue,
        _ reader: inout JSONReader
    ) -> SubscriptionFilter? {
        let filter = SubscriptionFilter(policy: policy, scope: scope.scope)
        do {
            _ = try filter.compiled(limits: .extended)
        } catch {
            reader.faults.add(
                FieldPath.root.member("filter"),
                expected: "a filter policy",
                got: error.message
            )
        }
        let isEmpty = (try? JSONValue(json: Array(policy.utf8))) == .object([:])
        return isEmpty ? nil : filter
    }
}

/// The scope of a filter policy in requests and responses.
enum FilterScopeValue: String, CaseIterable {
    case attributes

    case payload

    var scope: SubscriptionFilter.Scope {
        switch self {
        case .attributes: .messageAttributes
        case .payload: .messageBody
        }
    }

    init(_ scope: SubscriptionFilter.Scope) {
        switch scope {
        case .messageAttributes: self = .attributes
        case .messageBody: self = .payload
        }
    }
}
