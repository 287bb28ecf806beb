// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser
import Foundation
import PushModel

/// Makes an API key.
struct KeysCreateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Make a key. Its secret is shown this once."
    )

    @Argument(help: "What people call the key.")
    var name: String

    @Option(help: "What it may do: send, devices, read, admin, ...; may be given several times. Default: admin.")
    var scope: [Scope] = []

    @Option(help: "The only app that it may be used for. Default: every app.")
    var app: String?

    @Option(help: "After how many days it is refused. Default: never.")
    var days: Int?

    @Flag(help: "Let it sign requests to the SNS endpoint as well: an access key id and a secret are shown with it.")
    var accessKey = false

    @OptionGroup var place: KeyPlaceArguments
    @OptionGroup var output: OutputArguments

    func validate() throws {
        if let days, !(1...36_500).contains(days) { throw ValidationError("--days takes 1 to 36500.") }
    }

    func run() async throws {
        let draft = KeyDraft(
            name: self.name,
            scopes: self.scope.isEmpty ? [.admin] : self.scope,
            app: self.app,
            expiresAt: self.days.map { Date(timeIntervalSinceNow: Double($0) * 86_400) },
            isAccessKey: self.accessKey
        )
        let key = try await self.place.withKeyBook { try await $0.create(draft) }
        if self.output.json { return try Console.json(key) }
        Console.out(key.key ?? "")
        if let accessKeyID = key.accessKeyID, let secret = key.secretAccessKey {
            Console.out("AWS_ACCESS_KEY_ID=\(accessKeyID)")
            Console.out("AWS_SECRET_ACCESS_KEY=\(secret)")
        }
        let scopes = key.scopes.joined(separator: ", ")
        Console.note("Key '\(key.name)' for \(key.app ?? "all apps"): \(scopes). Keep it; it is not shown again.")
        Console.note("Use it as: export APUS_API_KEY=...")
    }
}
