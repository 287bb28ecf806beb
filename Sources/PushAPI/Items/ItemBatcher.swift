// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel

/// Notifications with a payload each, gathered into the batches that carry them out.
///
/// A batch has one set of headers, so those with equal ones go together, in the order in which they came. Nothing is
/// allocated for each.
struct ItemBatcher {
    /// Where one notification went.
    struct Place: Hashable, Sendable {
        /// Which group, and so which batch: its ordinal.
        var ordinal: Int

        /// Which target of the group.
        var index: Int
    }

    private struct Group {
        let headers: NotificationHeaders
        let maximumPayloadBytes: Int
        var targets = TargetList()
        var payloads = PayloadList()
    }

    private let app: App
    private var groups: [Group] = []
    private var ordinals: [ItemHeaders: Int] = [:]
    private var latest: (headers: ItemHeaders, ordinal: Int)?

    init(app: App) {
        self.app = app
    }

    var isEmpty: Bool { self.groups.isEmpty }

    /// Adds the notification of a scan.
    ///
    /// - Returns: its position; `nil`, with nothing added, if it violates a rule.
    mutating func add(_ scan: FastItemParser, of bytes: [UInt8]) -> Place? {
        self.add(
            token: bytes[scan.token],
            environment: scan.environment,
            headers: scan.headers,
            payload: bytes[scan.payload]
        )
    }

    /// Adds a notification whose token is hexadecimal digits, and whose payload is known to be a JSON object.
    ///
    /// - Returns: its position; `nil`, with nothing added, if it violates a rule.
    mutating func add(
        token: ArraySlice<UInt8>,
        environment: APNsEnvironment? = nil,
        headers: ItemHeaders,
        payload: ArraySlice<UInt8>
    ) -> Place? {
        guard let ordinal = self.ordinal(for: headers) else { return nil }
        let environment = environment ?? self.app.defaultEnvironment
        let fits = payload.count <= self.groups[ordinal].maximumPayloadBytes
        let isAdded =
            fits
            && token.withUnsafeBufferPointer { digits in
                self.groups[ordinal].targets.append(hexUTF8: digits, environment: environment)
            }
        guard isAdded else {
            self.removeIfEmpty(ordinal, headers)
            return nil
        }
        self.groups[ordinal].payloads.append(checked: payload)
        return Place(ordinal: ordinal, index: self.groups[ordinal].targets.count - 1)
    }

    /// Adds a parsed and valid notification.
    mutating func add(_ item: ItemParser.Item) -> Place {
        let ordinal = self.ordinal(for: ItemHeaders(item.headers)) ?? self.insert(item.headers)
        let target = Target(token: item.token, environment: item.environment ?? self.app.defaultEnvironment)
        self.groups[ordinal].targets.append(target)
        self.groups[ordinal].payloads.append(item.payload)
        return Place(ordinal: ordinal, index: self.groups[ordinal].targets.count - 1)
    }

    /// Returns the contents of the batches, in the order of their ordinals.
    func parts(lane: Lane, now: Date) -> [BatchedNotification.Part] {
        self.groups.map { group in
            BatchedNotification.Part(
                lane: lane,
                headers: group.headers,
                payload: .distinct(group.payloads),
                targets: group.targets,
                expiresAt: group.headers.expiresAt(now: now)
            )
        }
    }

    private mutating func ordinal(for headers: ItemHeaders) -> Int? {
        if let latest, latest.headers == headers { return latest.ordinal }
        var ordinal = self.ordinals[headers]
        if ordinal == nil, let valid = headers.valid(for: self.app.id) {
            ordinal = self.insert(valid)
            self.ordinals[headers] = ordinal
        }
        guard let ordinal else { return nil }
        self.latest = (headers, ordinal)
        return ordinal
    }

    /// Forgets a group that was made for a notification which then turned out to be faulty.
    private mutating func removeIfEmpty(_ ordinal: Int, _ headers: ItemHeaders) {
        guard self.groups[ordinal].targets.isEmpty else { return }
        self.groups.removeLast()
        self.ordinals[headers] = nil
        self.latest = nil
    }

    private mutating func insert(_ headers: NotificationHeaders) -> Int {
        self.groups.append(Group(headers: headers, maximumPayloadBytes: headers.pushType.maximumPayloadBytes))
        return self.groups.count - 1
    }
}

/// The headers of one notification among many: those with equal headers share a batch.
struct ItemHeaders: Hashable {
    var pushType: PushType?
    var priority: Int?
    var expiration: Int64?
    var collapseID: String?

    init() {}

    /// Splits headers, without those that have their defaults.
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
            guard ContentParser.expirations.contains(expiration) else { return nil }
            headers.expiration = APNsExpiration(rawValue: expiration)
        }
        if let collapseID {
            guard let valid = try? CollapseID(collapseID) else { return nil }
            headers.collapseID = valid
        }
        return headers.validate(payloadSize: 1).isEmpty ? headers : nil
    }
}
