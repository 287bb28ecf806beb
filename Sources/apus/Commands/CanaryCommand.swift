// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsClient
import ArgumentParser
import CommandLineSupport
import Delivery
import Foundation
import PushModel

struct CanaryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "canary",
        abstract: "Send a few requests to the real APNs, and report where it differs from the simulator.",
        discussion: """
            apus canary com.example.app --token 4f2a...
            apus canary com.example.app --token 4f2a... --p8 AuthKey_ABC123DEFG.p8 --key-id ABC123DEFG \\
              --team-id TEAM123456 --send
            apus canary com.example.app --device phone-1 --data data --send --json

            Without --send, the command shows the requests and sends nothing. With it, APNs and a simulator in this \
            process receive the same requests, one after another. The device shows two alerts.

            The credential is that of --p8, or that of the app in the store of --data. The exit status is 0 if all \
            responses are equal, and 1 if one differs. The options of the server, such as --data and --config, are in \
            apus serve --help.
            """
    )

    @Argument(help: "Bundle ID of the app.")
    var app: String

    @OptionGroup(title: "Device") var device: CanaryDeviceArguments
    @OptionGroup(title: "Credential") var credential: CanaryCredentialArguments

    @Flag(help: "Send the requests.")
    var send = false

    @Option(help: "Delay between two requests in milliseconds, 0 to 60000.")
    var pauseMilliseconds = 250

    @OptionGroup(title: "Configuration of the server", visibility: .hidden) var arguments: ConfigurationArguments
    @OptionGroup var output: OutputArguments

    func validate() throws {
        guard (0...60_000).contains(self.pauseMilliseconds) else {
            throw ValidationError("--pause-milliseconds: expected 0 to 60000, got \(self.pauseMilliseconds).")
        }
    }

    func run() async throws {
        let configuration = try ServerConfiguration(try self.arguments.entries())
        let store = CanaryStore(configuration: configuration)
        let (found, environment) = try await self.device.targets(of: try self.topic(), in: store)
        guard self.send else { return try self.preview(found) }

        let credential = try await self.credential.credential(of: found.app, in: environment, store)
        var targets = found
        if case .certificate = credential { targets.usesKey = false }
        let pushes = try configuration.deliveryConfiguration().endpoints[environment] ?? .apple(environment)
        let channels = try configuration.channelDestinations()[environment] ?? .appleChannels(environment)
        let apns = CanaryServer(
            targets,
            pushes: APNsDestination(endpoint: pushes, credential: credential),
            channels: APNsDestination(endpoint: channels, credential: credential)
        )
        defer { apns.close() }
        let pause = Duration.milliseconds(self.pauseMilliseconds)
        let report = try await CanaryServer.withSimulator(like: apns.targets, credential, environment) { simulator in
            try await Self.compare(CanaryRun(apns: apns, simulator: simulator, pause: pause))
        }
        if self.output.json { try Console.json(report) } else { report.show() }
        if !report.isAlike { throw ExitCode.failure }
    }

    private static func compare(_ run: CanaryRun) async throws -> CanaryReport {
        var run = run
        let progress = ProgressLine.standardError()
        let report = try await run.run { if progress.isTerminal { progress.show("Sending: \($0.name)") } }
        progress.clear()
        if let channel = run.remainingChannel {
            Console.note("The channel \(channel) still exists; delete it in the Push Notifications Console.".printable)
        }
        return report
    }

    private func preview(_ targets: CanaryTargets) throws {
        let preview = try CanaryPreview(targets)
        if self.output.json { try Console.json(preview) } else { preview.show() }
    }

    private func topic() throws -> Topic {
        do {
            return try Topic(self.app)
        } catch {
            throw CommandError("bad_app", "The app: expected a bundle ID, got '\(self.app)'.", cause: error)
        }
    }
}

/// The device that `apus canary` sends to, and its tokens.
struct CanaryDeviceArguments: ParsableArguments {
    @Option(help: "Device token, hexadecimal.")
    var token: String?

    @Option(help: "ID of a device that is registered in the store of --data.")
    var device: String?

    @Option(help: "Environment of --token: sandbox or production. Default: sandbox.")
    var environment: APNsEnvironment?

    @Option(help: "Push-to-start token of the device: starts a Live Activity.")
    var startToken: String?

    @Option(help: "Update token of a Live Activity on the device: updates and ends it.")
    var activityToken: String?

    @Option(help: "Name of the app's ActivityAttributes type, for --start-token.")
    var type: String?

    @Option(help: "Attributes of the Live Activity, \(JSONArgument.form).")
    var attributes: String?

    @Option(help: "Content state of the Live Activity, \(JSONArgument.form).")
    var state: String?

    @Flag(
        inversion: .prefixedNo,
        help: "Test broadcast channels: create, use and delete one. --no-broadcast for apps without the capability."
    )
    var broadcast = true

    func validate() throws {
        guard (self.token == nil) != (self.device == nil) else {
            throw ValidationError("Name the device with either --token or --device.")
        }
        guard self.environment == nil || self.token != nil else {
            throw ValidationError("--environment requires --token; the store has the environment of a --device.")
        }
        guard self.startToken == nil || self.type != nil else {
            throw ValidationError("--start-token requires --type, the type of the activities that it starts.")
        }
    }

    /// The targets, and the environment of their tokens.
    ///
    /// - Throws: ``CommandError`` for a malformed token or JSON object, and where the store has no such device.
    func targets(of app: Topic, in store: CanaryStore) async throws -> (CanaryTargets, APNsEnvironment) {
        var targets: CanaryTargets
        var environment = self.environment ?? .sandbox
        if let device {
            let target = try await store.target(of: device, app)
            targets = CanaryTargets(app: app, deviceToken: target.token)
            environment = target.environment
        } else {
            targets = CanaryTargets(app: app, deviceToken: try Self.token(self.token ?? "", of: "--token"))
        }
        targets.startToken = try self.startToken.map { try Self.token($0, of: "--start-token") }
        targets.activityToken = try self.activityToken.map { try Self.token($0, of: "--activity-token") }
        targets.broadcasts = self.broadcast
        if let type { targets.activity.type = type }
        if let value = try Self.object(self.attributes, of: "--attributes") { targets.activity.attributes = value }
        if let value = try Self.object(self.state, of: "--state") { targets.activity.contentState = value }
        return (targets, environment)
    }

    private static func token(_ text: String, of flag: String) throws -> DeviceToken {
        do {
            return try DeviceToken(hex: text)
        } catch {
            throw CommandError("bad_token", "\(flag): expected \(error.rule), got \(error.value).", cause: error)
        }
    }

    private static func object(_ text: String?, of flag: String) throws -> JSONValue? {
        try text.map { try JSONValue(json: try JSONArgument.fragment($0, of: flag).bytes) }
    }
}

/// The credential on the command line of `apus canary`.
struct CanaryCredentialArguments: ParsableArguments {
    @Option(help: "File with an authentication key (.p8) from Apple. Default: the credential of the app in the store.")
    var p8: String?

    @Option(help: "ID of the key: 10 characters.")
    var keyID: String?

    @Option(help: "ID of the team: 10 characters.")
    var teamID: String?

    func validate() throws {
        let count = [self.p8, self.keyID, self.teamID].count { $0 != nil }
        guard count == 0 || count == 3 else { throw ValidationError("Give --p8, --key-id and --team-id together.") }
    }

    /// - Throws: ``CommandError`` for a file that is no key, and where the store has no credential that fits.
    func credential(
        of app: Topic,
        in environment: APNsEnvironment,
        _ store: CanaryStore
    ) async throws -> APNsCredential {
        guard let p8, let keyID, let teamID else { return try await store.credential(of: app, in: environment) }
        let pem = try InputFile.text(p8, isSecret: true)
        do {
            return .key(try ProviderKey(keyID: keyID, teamID: teamID, pem: pem))
        } catch {
            throw CommandError("invalid_credential", "--p8 \(p8): \(error.message).", cause: error)
        }
    }
}
