// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore

/// A request for a new activity, and the devices on which a push starts it.
struct CreateActivityRequest: Sendable {
    static let members =
        ["id", "transitions", "participants"] + ActivityParser.members + BroadcastParser.members + DeviceSelectionParser.members
        + RolloutParser.members

    var id: ActivityID
    var draft: ActivityParser
    var broadcast: BroadcastParser
    var phones: TargetSelection?
    var rollout: RolloutParser

    /// The devices and users that may join the activity.
    var participants: ActivityMembers

    /// The transitions of the activity, by name.
    var transitions: [TransitionKey: TransitionRequest]
}

extension CreateActivityRequest {
    init(_ body: [UInt8]) throws(Problem) {
        var id: ActivityID?
        var transitions: [TransitionKey: TransitionRequest] = [:]
        var draft = ActivityParser()
        var broadcast = BroadcastParser()
        var phones = DeviceSelectionParser()
        var rollout = RolloutParser()
        var participants = ActivityMembers()
        self = try JSONReader.read(body, members: Self.members) { reader, member, path throws(JSONSyntaxError) in
            switch member {
            case "id": id = try reader.value(path, ActivityID.init(validating:))
            case "participants": participants = try ActivityMembers.read(&reader, path)
            case "transitions": transitions = try TransitionRequest.transitions(&reader, path)
            case "channel", "delivery": try broadcast.read(member, &reader, path)
            case "devices", "users": try phones.read(member, &reader, path)
            case "topic", "audience", "ratePerSecond": try rollout.read(member, &reader, path)
            default: try draft.read(member, &reader, path)
            }
        } finish: { reader in
            let selection = phones.finish(&reader)
            broadcast.check(&reader)
            rollout.check(&reader)
            let id = reader.require(id, "id")
            guard reader.require(draft.attributesType, "attributesType") != nil, let id else { return nil }
            return CreateActivityRequest(
                id: id,
                draft: draft,
                broadcast: broadcast,
                phones: selection,
                rollout: rollout,
                participants: participants,
                transitions: transitions
            )
        }
    }
}
