// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// Activities that a push starts.
extension ActivityRegistry {
    /// Starts an activity from a push to a push-to-start token.
    ///
    /// - Throws: ``ActivityPushError`` with the first reason to drop the push.
    mutating func start(
        _ arrival: ActivityPushDelivery,
        tokenType: String,
        id: ActivityID,
        switches: ActivityOptions,
        now: Double,
        channelExists: (String) -> Bool
    ) throws(ActivityPushError) -> [ActivityEffect] {
        let push = try ActivityPush(payload: arrival.payload)
        guard push.event == .start else {
            throw ActivityPushError(
                .wrongToken,
                "\(push.event.rawValue) must be sent to the activity's update token, not to the push-to-start token"
            )
        }
        try self.checkApp(arrival)
        try Self.checkPast(push, arrival, switches: switches, now: now)
        try Self.checkFuture(push, switches: switches, now: now)
        let (type, attributes) = try self.attributes(of: push, arrival, tokenType: tokenType, switches: switches)
        guard let contentState = push.contentState else {
            throw ActivityPushError(.missingContentState, "aps.content-state: expected an object, got nothing")
        }
        guard push.hasAlert else {
            throw ActivityPushError(
                .missingAlert,
                "aps.alert: expected an object with a title or a body; a start needs one"
            )
        }
        let hints = try self.decode(
            attributes: attributes,
            contentState: contentState,
            type: type,
            bundleID: arrival.bundleID,
            now: now
        )
        try Self.checkSize(attributes: attributes, contentState: contentState)
        let pushType = try Self.pushType(of: push, arrival, switches: switches, channelExists: channelExists)
        try self.checkLimits(arrival, switches: switches)
        let request = ActivityRecord.Request(
            bundleID: arrival.bundleID,
            attributesType: type,
            attributes: attributes,
            contentState: contentState,
            staleAt: push.staleAt,
            relevanceScore: push.relevanceScore ?? 0,
            pushType: pushType
        )
        return self.start(request, push, arrival, id: id, hints: hints, switches: switches, now: now)
    }

    private mutating func start(
        _ request: ActivityRecord.Request,
        _ push: ActivityPush,
        _ arrival: ActivityPushDelivery,
        id: ActivityID,
        hints: [String],
        switches: ActivityOptions,
        now: Double
    ) -> [ActivityEffect] {
        var effects: [ActivityEffect] = []
        let device = arrival.host.device
        var record = ActivityRecord(request, id: id, device: device, startsAt: now, state: .active)
        record.timestamp = push.timestamp
        let isWithheld = self.asksToAllow(device, arrival.bundleID, switches: switches)
        self.add(record)
        self.change(id, to: &effects) { record, effects in
            let detail = (["\(request.attributesType), shown with an alert"] + hints).joined(separator: "; ")
            record.note(.started, .push, at: now, detail: detail, apnsID: arrival.apnsID, to: &effects)
            record.expectUpdates(
                delay: switches.updateTokenDelay,
                isWithheld: isWithheld,
                now: now,
                to: &effects
            )
            record.becomeStaleIfDue(now: now, to: &effects)
        }
        effects.append(
            .appCall(
                device,
                bundleID: arrival.bundleID,
                call: .activityUpdates,
                details: ["activity": id.rawValue, "attributesType": request.attributesType]
            )
        )
        if switches.rotatesPushToStart {
            effects.append(
                .rotatePushToStart(device, bundleID: arrival.bundleID, attributesType: request.attributesType)
            )
        }
        return effects
    }

    /// Asks the user at the first start, and returns whether the answer is still pending.
    private mutating func asksToAllow(
        _ device: VirtualDeviceID,
        _ bundleID: String,
        switches: ActivityOptions
    ) -> Bool {
        guard switches.asksToAllow else { return false }
        var app = self[device, bundleID]
        if app.permission == .notAsked { app.permission = .asked }
        self[device, bundleID] = app
        return app.permission == .asked
    }

    private func checkApp(_ arrival: ActivityPushDelivery) throws(ActivityPushError) {
        let settings = self[arrival.host.device, arrival.bundleID].settings
        guard arrival.host.isAtLeast(17, 2) else {
            throw ActivityPushError(.unsupportedSystem, "push-to-start needs iOS 17.2")
        }
        guard arrival.host.supportsLiveActivities else {
            throw ActivityPushError(.unsupportedApp, "the app's Info.plist has no NSSupportsLiveActivities")
        }
        guard settings.areActivitiesEnabled else {
            throw ActivityPushError(.disabled, "the user disabled Live Activities for the app")
        }
    }

    private func attributes(
        of push: ActivityPush,
        _ arrival: ActivityPushDelivery,
        tokenType: String,
        switches: ActivityOptions
    ) throws(ActivityPushError) -> (type: String, attributes: JSONValue) {
        guard let name = push.attributesType else {
            throw ActivityPushError(.missingAttributes, "aps.attributes-type: expected a string, got nothing")
        }
        guard let attributes = push.attributes else {
            throw ActivityPushError(.missingAttributes, "aps.attributes: expected an object, got nothing")
        }
        if name != tokenType, switches.attributesTypeMismatch == .reject {
            throw ActivityPushError(
                .attributesTypeMismatch,
                "aps.attributes-type: expected \(tokenType), the type of the push-to-start token, got "
                    + "\(name.prefix(80))"
            )
        }
        let types = self.types(of: arrival.bundleID)
        if switches.unknownAttributesType == .reject, !types.isEmpty, !types.contains(where: { $0.name == name }) {
            let names = types.map(\.name).joined(separator: ", ")
            throw ActivityPushError(
                .unknownAttributesType,
                "aps.attributes-type: expected one of \(names), got \(name.prefix(80))"
            )
        }
        return (name, attributes)
    }

    private static func pushType(
        of push: ActivityPush,
        _ arrival: ActivityPushDelivery,
        switches: ActivityOptions,
        channelExists: (String) -> Bool
    ) throws(ActivityPushError) -> ActivityPushType {
        let isCurrent = arrival.host.isAtLeast(18)
        if let channel = push.channel {
            guard isCurrent else {
                throw ActivityPushError(.unsupportedSystem, "aps.input-push-channel needs iOS 18")
            }
            if push.asksForToken, switches.conflictingInput == .reject {
                throw ActivityPushError(
                    .conflictingInput,
                    "aps: expected one of input-push-token and input-push-channel, got both"
                )
            }
            guard channelExists(channel) else {
                throw ActivityPushError(.unknownChannel, "aps.input-push-channel: the app has no such channel")
            }
            return .channel(channel)
        }
        return !isCurrent || push.asksForToken || switches.givesTokenUnasked ? .token : .none
    }

    private func checkLimits(_ arrival: ActivityPushDelivery, switches: ActivityOptions) throws(ActivityPushError) {
        let counts = self.counts(device: arrival.host.device, bundleID: arrival.bundleID)
        if counts.ofApp >= switches.maximumPerApp {
            throw ActivityPushError(.limitExceeded, "the app has \(counts.ofApp) activities, the maximum")
        }
        if counts.onDevice >= switches.maximumOnDevice {
            throw ActivityPushError(.limitExceeded, "the device has \(counts.onDevice) activities, the maximum")
        }
    }
}

/// The device's decoding of attributes and content.
extension ActivityRegistry {
    /// Decodes with the registered shapes; an app without registrations decodes everything.
    ///
    /// - Returns: warnings about values that were decoded but look wrong.
    func decode(
        attributes: JSONValue?,
        contentState: JSONValue?,
        type name: String,
        bundleID: String,
        now: Double
    ) throws(ActivityPushError) -> [String] {
        guard let type = self.type(name, of: bundleID) else { return [] }
        do throws(AttributesSchema.Mismatch) {
            var hints: [String] = []
            if let attributes { hints += try type.attributes.decode(attributes, path: "attributes", now: now) }
            if let contentState { hints += try type.contentState.decode(contentState, path: "content-state", now: now) }
            return hints
        } catch {
            throw ActivityPushError(.undecodable, error.message)
        }
    }

    /// Checks the total size of attributes and content state, encoded without white space.
    static func checkSize(attributes: JSONValue, contentState: JSONValue) throws(ActivityPushError) {
        let count = attributes.count + contentState.count
        guard count > ActivityRecord.maximumBytes else { return }
        throw ActivityPushError(
            .tooLarge,
            "attributes and content state: expected at most \(ActivityRecord.maximumBytes) bytes, got \(count)"
        )
    }
}

extension JSONValue {
    /// How many bytes it has as JSON.
    fileprivate var count: Int { (try? self.json().count) ?? 0 }
}
