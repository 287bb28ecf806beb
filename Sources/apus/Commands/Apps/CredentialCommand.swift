// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ArgumentParser
import CommandLineSupport
import Foundation

struct CredentialCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "credential",
        abstract: "List, add and remove the APNs credentials of an app.",
        subcommands: [CredentialListCommand.self, CredentialAddCommand.self, CredentialRemoveCommand.self]
    )
}

struct CredentialListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List an app's credentials, the latest first; with --json one object per line."
    )

    @Argument(help: "Bundle ID of the app.")
    var app: String

    @OptionGroup var server: ServerArguments

    func run() async throws {
        let answer = try await self.server.client().call(.get, "/v1/apps/\(self.app.asPathSegment)/credentials")
        if self.server.json { return try answer.writeElements() }
        var table = TextTable(heading: "CREDENTIAL", "TYPE", "KEY", "TEAM", "ENVIRONMENTS", "KEPT", "ADDED")
        for credential in try answer.decoded(as: APIPage<CredentialResponse>.self).elements {
            table.add(
                credential.id,
                credential.format ?? credential.type,
                credential.keyID ?? "-",
                credential.teamID ?? "-",
                credential.environments.joined(separator: ","),
                credential.storage,
                credential.createdAt
            )
        }
        table.lines.forEach(Console.out)
    }
}

/// Adds a credential to an app: the server receives the content of the file, and seals it with its master key.
struct CredentialAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Add an authentication key or a certificate to an app.",
        discussion: """
            apus apps credential add com.example.app --p8 AuthKey_ABC123DEFG.p8 --key-id ABC123DEFG --team-id TEAM123456
            apus apps credential add com.example.app --p12 push.p12 --password-file push.password
            """
    )

    @Argument(help: "Bundle ID of the app.")
    var app: String

    @Option(help: "File with an authentication key (.p8) from Apple.")
    var p8: String?

    @Option(help: "ID of the key: 10 characters.")
    var keyID: String?

    @Option(help: "ID of the team: 10 characters.")
    var teamID: String?

    @Option(help: "File with a client certificate and its private key, PKCS #12.")
    var p12: String?

    @Option(help: "File with the password of the PKCS #12 file.")
    var passwordFile: String?

    @Option(help: "File with a client certificate and its private key, PEM.")
    var pem: String?

    @Option(help: "Environment of the credential: sandbox or production. Repeatable. Default: both.")
    var environment: [APNsEnvironment] = []

    @OptionGroup var server: ServerArguments

    private struct Body: Encodable {
        var type: String
        var keyID: String?
        var teamID: String?
        var p8: String?
        var p12: String?
        var pem: String?
        var password: String?
        var environments: [APNsEnvironment]?
    }

    func validate() throws {
        guard [self.p8, self.p12, self.pem].compactMap(\.self).count == 1 else {
            throw ValidationError("Give exactly one of --p8, --p12 and --pem.")
        }
        if self.p8 != nil, self.keyID == nil || self.teamID == nil {
            throw ValidationError("--p8 requires --key-id and --team-id.")
        }
    }

    func run() async throws {
        let path = "/v1/apps/\(self.app.asPathSegment)/credentials"
        let answer = try await self.server.client().call(.post, path, sending: try self.body())
        if self.server.json { return Console.out(answer.text) }
        let added = try answer.decoded(as: CredentialResponse.self)
        let what = added.keyID.map { "key \($0)" } ?? "certificate"
        Console.out("Added \(what) to \(self.app) for \(added.environments.joined(separator: " and ")): \(added.id)")
    }

    private func body() throws -> Body {
        var body = Body(type: self.p8 == nil ? "certificate" : "key", keyID: self.keyID, teamID: self.teamID)
        if let p8 { body.p8 = try InputFile.text(p8, isSecret: true) }
        if let pem { body.pem = try InputFile.text(pem, isSecret: true) }
        if let p12 { body.p12 = try InputFile.bytes(p12, isSecret: true).base64EncodedString() }
        if let passwordFile {
            body.password = try InputFile.text(passwordFile, isSecret: true).trimmingCharacters(in: .newlines)
        }
        if !self.environment.isEmpty { body.environments = self.environment }
        return body
    }
}

struct CredentialRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "remove", abstract: "Remove a credential of an app.")

    @Argument(help: "Bundle ID of the app.")
    var app: String

    @Argument(help: "ID of the credential, as `apus apps credential list` shows it.")
    var credential: String

    @OptionGroup var server: ServerArguments

    func run() async throws {
        let path = "/v1/apps/\(self.app.asPathSegment)/credentials/\(self.credential.asPathSegment)"
        let words = "Removed \(self.credential)."
        try await self.server.delete(path, result: ["removed": self.credential], words: words)
    }
}
