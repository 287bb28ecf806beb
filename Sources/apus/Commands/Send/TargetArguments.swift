// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ArgumentParser

/// Whom a notification goes to: devices, users or tokens.
struct TargetArguments: ParsableArguments {
    @Option(help: "An installation, by the name that the app gave it; may be given several times.")
    var device: [String] = []

    @Option(help: "A user, all of whose devices are meant; may be given several times.")
    var user: [String] = []

    @Option(help: "A device token, hexadecimal; may be given several times.")
    var token: [String] = []

    @Option(help: "The environment of the tokens: sandbox or production. Default: the app's.")
    var environment: APNsEnvironment?

    func validate() throws {
        guard [self.device, self.user, self.token].count(where: { !$0.isEmpty }) == 1 else {
            throw ValidationError("Name whom to send to, by one of --device, --user and --token.")
        }
        if self.environment != nil, self.token.isEmpty {
            throw ValidationError("--environment belongs to --token; of devices and users it is known.")
        }
    }

    /// The targets as the API takes them.
    var body: Body {
        Body(
            devices: self.device.isEmpty ? nil : self.device,
            users: self.user.isEmpty ? nil : self.user,
            tokens: self.token.isEmpty ? nil : self.token,
            environment: self.environment
        )
    }

    /// The member `targets` of a request to send.
    struct Body: Encodable {
        let devices: [String]?
        let users: [String]?
        let tokens: [String]?
        let environment: APNsEnvironment?
    }
}
