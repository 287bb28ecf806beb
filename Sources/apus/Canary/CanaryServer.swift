// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsClient
import APNsSimulator
import CommandLineSupport
import Foundation
import Logging
import NIOPosix

/// A server that `apus canary` sends to: APNs, or the simulator that its responses are compared with.
struct CanaryServer: Sendable {
    /// The targets as this server knows them.
    var targets: CanaryTargets
    private let pushes: RequestSession
    private let channels: RequestSession

    init(_ targets: CanaryTargets, pushes: APNsDestination, channels: APNsDestination) {
        let group = MultiThreadedEventLoopGroup.singleton
        self.targets = targets
        self.pushes = RequestSession(at: pushes, group: group)
        self.channels = RequestSession(at: channels, group: group)
    }

    /// Sends a request, and keeps track of the channel that requests create and delete.
    mutating func send(_ request: APNsRequest, to service: CanaryCase.Service) async throws -> CanaryResponse {
        let session = service == .pushes ? self.pushes : self.channels
        do {
            let response = try await session.send(request)
            if let channel = response.headers[ResponseHeader.channelID], request.method == "POST" {
                self.targets.channel = channel
            } else if request.method == "DELETE", (200..<300).contains(response.status) {
                self.targets.channel = nil
            }
            return CanaryResponse(response)
        } catch let loss as RequestLoss {
            return CanaryResponse(failure: loss.message)
        }
    }

    func close() {
        self.pushes.close()
        self.channels.close()
    }
}

extension CanaryServer {
    /// Runs a simulator that has the same app, kind of credential, device and activity, and passes it to `body`.
    ///
    /// Its keys, tokens and channels are its own: no secret and no token of the caller gets into the simulator.
    static func withSimulator<Value: Sendable>(
        like targets: CanaryTargets,
        _ credential: APNsCredential,
        _ environment: APNsEnvironment,
        _ body: (CanaryServer) async throws -> Value
    ) async throws -> Value {
        var configuration = APNsSimulatorConfiguration(environment: environment)
        configuration.switches.activities.updateTokenDelay = 0
        let silent = Logger(label: "apus.canary") { _ in SwiftLogNoOpLogHandler() }
        return try await withAPNsSimulator(configuration, logger: silent) { simulator in
            let own = try simulator.credential(like: credential, for: targets.app)
            let server = try CanaryServer(
                targets.copied(into: simulator),
                pushes: simulator.destination(simulator.port, own),
                channels: simulator.destination(simulator.channelPort, own)
            )
            defer { server.close() }
            return try await body(server)
        }
    }
}

extension CanaryTargets {
    /// The same targets on a device of a simulator.
    fileprivate func copied(into simulator: APNsSimulator) throws -> CanaryTargets {
        let app = self.app.rawValue
        let device = try simulator.bootDevice(apps: [app])
        guard let token = device.token(app) else {
            throw CommandError("simulator_failed", "The simulator issued no device token for \(app).")
        }
        var copy = CanaryTargets(app: self.app, deviceToken: token)
        copy.activity = self.activity
        copy.usesKey = self.usesKey
        copy.broadcasts = self.broadcasts
        if self.startToken != nil {
            copy.startToken = try simulator.issuePushToStartToken(self.activity.type, for: app, on: device.id)
        }
        if self.activityToken != nil {
            let request = ActivityRequest(
                bundleID: app,
                attributesType: self.activity.type,
                attributes: self.activity.attributes,
                contentState: self.activity.contentState
            )
            // ActivityKit starts an activity only for an app in the foreground.
            try simulator.changeApp(app, on: device.id) { $0.state = .foreground }
            copy.activityToken = try simulator.startActivity(request, on: device.id).token
        }
        return copy
    }
}

extension APNsSimulator {
    /// Issues a credential of the kind and the identifiers of another one, for a team with this app alone.
    fileprivate func credential(like credential: APNsCredential, for app: Topic) throws -> APNsCredential {
        switch credential {
        case .key(let key):
            let own = try self.makeKey(keyID: key.keyID, teamID: key.teamID)
            self.setBundleIDs([app.rawValue], ofTeam: key.teamID)
            return .key(try ProviderKey(keyID: key.keyID, teamID: key.teamID, pem: own.p8))
        case .certificate:
            let issued = try self.issueCertificate(PushCertificateRequest(bundleID: app.rawValue))
            let pem = Array("\(issued.certificatePEM)\n\(issued.privateKeyPEM)\n".utf8)
            return .certificate(try ClientCertificate(pem: pem))
        }
    }

    fileprivate func destination(_ port: Int, _ credential: APNsCredential) -> APNsDestination {
        let trust = TrustRoots.certificateAuthority(pem: Array(self.caPEM.utf8))
        let endpoint = APNsEndpoint(host: "localhost", port: port, trust: trust)
        return APNsDestination(endpoint: endpoint, credential: credential)
    }
}
