// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import Testing

@testable import APNsSimulator

/// A world with a channel, and broadcasts and channel management requests to it that every rule lets pass.
final class ChannelFixture {
    /// Which request is made.
    enum Operation: String, CaseIterable {
        case create, read, delete, list, broadcast
    }

    static let app = RequestFixture.app
    static let requestID = "eabeae54-14a8-11e5-b60b-1697f925ec7b"

    let request: RequestFixture
    let operation: Operation
    let channel: ChannelKey
    /// On which port the request is made.
    var service: ProviderService

    init(_ operation: Operation = .broadcast, policy: ChannelStoragePolicy = .mostRecentMessageStored) throws {
        self.request = try RequestFixture()
        self.operation = operation
        self.service = operation == .broadcast ? .pushes : .channelManagement
        self.request.world.advance(to: self.request.now)
        self.channel = try self.request.world.createChannel(
            Self.app,
            environment: .sandbox,
            policy: policy,
            switches: ChannelOptions(),
            now: self.request.now
        )
        self.request.set(.topic, nil)
        self.request.set(.requestID, Self.requestID)
        self.request.body = []
        self.prepare()
    }

    private func prepare() {
        let request = self.request
        switch self.operation {
        case .create:
            request.set(.path, "/1/apps/\(Self.app)/channels")
            request.body = Array(#"{"message-storage-policy":1,"push-type":"LiveActivity"}"#.utf8)
        case .read, .delete:
            request.set(.method, self.operation == .read ? "GET" : "DELETE")
            request.set(.path, "/1/apps/\(Self.app)/channels")
            request.set(.channelID, self.channel.id)
        case .list:
            request.set(.method, "GET")
            request.set(.path, "/1/apps/\(Self.app)/all-channels")
        case .broadcast:
            request.set(.path, "/4/broadcasts/apps/\(Self.app)")
            request.set(.channelID, self.channel.id)
            request.set(.expiration, "\(Int(request.now) + 600)")
            request.set(.priority, "10")
            request.set(.pushType, "liveactivity")
            request.body = Array(#"{"aps":{"event":"update","timestamp":1760000000,"content-state":{"n":1}}}"#.utf8)
        }
    }

    /// What comes back.
    func answer() throws -> ChannelResponse {
        let rules = ProviderRules(environment: self.request.environment, switches: self.request.switches)
        self.request.world.switches = self.request.switches
        let handling = self.request.world.handleChannels(
            self.request.request,
            self.service,
            trust: &self.request.trust,
            rules: ChannelRules(provider: rules),
            now: self.request.now
        )
        guard case .answered(let answer) = handling.verdict else { throw TestFailure.closed }
        return answer
    }

    /// The reason of the refusal, or `nil` if the request passes.
    func refusal() throws -> RejectionReason? { try self.answer().rejection?.reason }

    /// What there is of the channel.
    var record: ChannelRecord? { self.request.world.channels[self.channel] }

    /// Puts the app on the screen of the device and starts an activity that is subscribed to the channel.
    func subscribe() throws -> ActivityID {
        self.request.world.giveState(self.request.device)
        _ = self.request.world.devices.withState(self.request.device) { state in
            if let place = state.appIndex(Self.app) { state.apps[place].traits.state = .foreground }
        }
        let activity = try self.request.world.startActivity(
            ActivityRequest(
                bundleID: Self.app,
                attributesType: "GameAttributes",
                contentState: ["n": 0],
                pushType: .channel(self.channel.id)
            ),
            on: self.request.device,
            now: self.request.now
        )
        return activity.id
    }

    /// Broadcasts a state with this number.
    ///
    /// Returns the answer's status.
    @discardableResult
    func broadcast(_ number: Int, expiresIn seconds: Int = 3600) throws -> Int {
        let now = Int(self.request.now)
        self.request.set(.expiration, seconds == 0 ? "0" : "\(now + seconds)")
        self.request.body = Array(
            #"{"aps":{"event":"update","timestamp":\#(now),"content-state":{"n":\#(number)}}}"#.utf8
        )
        try self.request.authorize(self.request.key)
        return try self.answer().status
    }

    /// What an activity shows.
    func number(_ id: ActivityID) -> JSONValue? { self.request.world.activities[id]?.contentState["n"] }

    func setOnline(_ isOnline: Bool) {
        self.request.world.setOnline(isOnline, device: self.request.device, now: self.request.now)
    }
}
