// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import Synchronization
import VirtualDevice

/// A Live Activity of the app on its virtual device.
///
/// Apple does not document whether its sequences start with the current value. The sequences of this shim do, except
/// for `activityUpdates`, which yields the activities that no process of the app has received yet. Tests can change
/// that with `VirtualDeviceSession.repeatsPresent`. The simulator option `activities.requestTokenDelay` sets the delay
/// of a token; code must work with any delay.
public class Activity<Attributes>: Identifiable where Attributes: ActivityAttributes {
    public typealias ContentState = Attributes.ContentState
    public typealias ID = String

    final public let id: String
    final public let attributes: Attributes
    /// The record at creation, used when the device no longer has the activity.
    private let first: DeviceActivity
    /// The latest content that could be decoded; like iOS, the shim ignores a push whose content cannot be decoded.
    private let decoded: Mutex<DeviceActivity>

    init?(_ record: DeviceActivity) {
        // The system passes an app only activities of its own types.
        guard let attributes = try? JSONDecoder().decode(Attributes.self, from: record.attributes),
            (try? JSONDecoder().decode(ContentState.self, from: record.contentState)) != nil
        else { return nil }
        self.id = record.id
        self.attributes = attributes
        self.first = record
        self.decoded = Mutex(record)
    }

    static var typeName: String { String(describing: Attributes.self) }

    private var record: DeviceActivity { ActivityStateCache.shared.snapshot.activity(self.id) ?? self.first }

    // MARK: Content

    public var activityState: ActivityState { ActivityState(rawValue: self.record.state) ?? .dismissed }
    public var content: ActivityContent<ContentState> {
        let record = self.record
        if let content = Self.content(record) {
            self.decoded.withLock { $0 = record }
            return content
        }
        // This cannot trap, because the bytes were already decoded as this type once.
        guard let content = Self.content(self.decoded.withLock(\.self)) else { fatalError("this was decoded before") }
        return content
    }
    public var pushToken: Data? { self.record.token.map(Data.init(hexadecimal:)) }

    @available(*, deprecated, message: "use content")
    public var contentState: ContentState { self.content.state }

    static func content(_ record: DeviceActivity) -> ActivityContent<ContentState>? {
        guard let state = try? JSONDecoder().decode(ContentState.self, from: record.contentState) else { return nil }
        return ActivityContent(state: state, staleDate: record.staleDate, relevanceScore: record.relevanceScore)
    }

    // MARK: Starting

    @available(*, deprecated, message: "use request(attributes:content:pushType:)")
    public static func request(
        attributes: Attributes,
        contentState: ContentState,
        pushType: PushType? = nil
    ) throws -> Activity<Attributes> {
        try self.request(attributes, ActivityContent(state: contentState, staleDate: nil), pushType, [:])
    }

    public static func request(
        attributes: Attributes,
        content: ActivityContent<ContentState>,
        pushType: PushType? = nil
    ) throws -> Activity<Attributes> {
        try self.request(attributes, content, pushType, [:])
    }

    public static func request(
        attributes: Attributes,
        content: ActivityContent<ContentState>,
        pushType: PushType? = nil,
        style: ActivityStyle
    ) throws -> Activity<Attributes> {
        try self.request(attributes, content, pushType, [:])
    }

    public static func request(
        attributes: Attributes,
        content: ActivityContent<ContentState>,
        pushType: PushType? = nil,
        style: ActivityStyle,
        alertConfiguration: AlertConfiguration,
        start: Date
    ) throws -> Activity<Attributes> {
        try self.request(
            attributes,
            content,
            pushType,
            ["alert": true, "startDate": start.timeIntervalSince1970]
        )
    }

    private static func request(
        _ attributes: Attributes,
        _ content: ActivityContent<ContentState>,
        _ pushType: PushType?,
        _ more: [String: Any]
    ) throws -> Activity<Attributes> {
        let board = ActivityStateCache.shared
        var body = try self.body(content).merging(more) { $1 }
        body["bundleID"] = board.link.place?.bundleID ?? ""
        body["attributesType"] = self.typeName
        body["attributes"] = try JSONSerialization.jsonObject(with: JSONEncoder().encode(attributes))
        body["pushType"] = pushType.map { $0.channel == nil ? "token" : "channel" } ?? "none"
        body["channel"] = pushType?.channel
        do {
            let answer = try board.link.call("POST", board.link.devicePath("/activities"), body)
            guard let record = board.take(answer), let activity = Activity(record) else {
                throw ActivityAuthorizationError.persistenceFailure
            }
            return activity
        } catch let error as ControlError {
            // An app that is not installed has no entitlement. An unreachable simulator cannot store the activity.
            guard error.status == 409 else {
                throw error.status == 404 ? ActivityAuthorizationError.unentitled : .persistenceFailure
            }
            throw error.value.flatMap(ActivityAuthorizationError.init(word:)) ?? .unsupported
        }
    }

    private static func body(_ content: ActivityContent<ContentState>) throws -> [String: Any] {
        var body: [String: Any] = [
            "contentState": try JSONSerialization.jsonObject(with: JSONEncoder().encode(content.state)),
            "relevanceScore": content.relevanceScore,
        ]
        body["staleDate"] = content.staleDate?.timeIntervalSince1970
        return body
    }

    // MARK: Changing

    @available(*, deprecated, message: "use update(_:)")
    public func update(using contentState: ContentState) async {
        await self.update(ActivityContent(state: contentState, staleDate: nil))
    }

    @available(*, deprecated, message: "use update(_:alertConfiguration:)")
    public func update(using contentState: ContentState, alertConfiguration: AlertConfiguration? = nil) async {
        await self.update(ActivityContent(state: contentState, staleDate: nil))
    }

    public func update(_ content: ActivityContent<ContentState>) async { await self.change("update", content) }

    public func update(
        _ content: ActivityContent<ContentState>,
        alertConfiguration: AlertConfiguration? = nil
    ) async {
        await self.change("update", content)
    }

    public func update(
        _ content: ActivityContent<ContentState>,
        alertConfiguration: AlertConfiguration? = nil,
        timestamp: Date
    ) async {
        await self.change("update", content, ["timestamp": timestamp.timeIntervalSince1970])
    }

    @available(*, deprecated, message: "use end(_:dismissalPolicy:)")
    public func end(
        using contentState: ContentState? = nil,
        dismissalPolicy: ActivityUIDismissalPolicy = .default
    ) async {
        await self.end(
            contentState.map { ActivityContent(state: $0, staleDate: nil) },
            dismissalPolicy: dismissalPolicy
        )
    }

    public func end(
        _ content: ActivityContent<ContentState>?,
        dismissalPolicy: ActivityUIDismissalPolicy = .default
    ) async {
        await self.change("end", content, Self.members(dismissalPolicy))
    }

    public func end(
        _ content: ActivityContent<ContentState>?,
        dismissalPolicy: ActivityUIDismissalPolicy = .default,
        timestamp: Date
    ) async {
        let members = Self.members(dismissalPolicy).merging(["timestamp": timestamp.timeIntervalSince1970]) { $1 }
        await self.change("end", content, members)
    }

    private static func members(_ policy: ActivityUIDismissalPolicy) -> [String: Any] {
        var members: [String: Any] = ["dismissal": policy.word]
        members["dismissalDate"] = policy.date?.timeIntervalSince1970
        return members
    }

    /// Ignores failures, as Apple's functions do, for example for an ended activity.
    private func change(
        _ verb: String,
        _ content: ActivityContent<ContentState>?,
        _ more: [String: Any] = [:]
    ) async {
        var body = more
        if let content, let members = try? Self.body(content) { body.merge(members) { $1 } }
        // Without content, an end has no relevance score and no stale date.
        if content == nil { body["relevanceScore"] = nil }
        nonisolated(unsafe) let sent = body
        let id = self.id
        await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
            DispatchQueue.global().async {
                let link = ActivityStateCache.shared.link
                if let answer = try? link.call("POST", link.devicePath("/activities/\(id)/\(verb)"), sent) {
                    ActivityStateCache.shared.take(answer)
                }
                done.resume()
            }
        }
    }
}

extension Data {
    /// Decodes pairs of hexadecimal digits.
    init(hexadecimal text: String) {
        let digits = text.compactMap(\.hexDigitValue)
        self.init(stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) })
    }
}
