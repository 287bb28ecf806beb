// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser
import CommandLineSupport
import Foundation
import PushModel
import SNSProtocol

/// The commands that import data of other services.
struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Import data from another push service.",
        subcommands: [ImportSNSCommand.self]
    )
}

/// Copies endpoints, topics and subscriptions from Amazon SNS, or from a compatible server.
struct ImportSNSCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sns",
        abstract: "Copy endpoints, topics and subscriptions from Amazon SNS into a store.",
        discussion: """
            The command reads from the source with AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and, if it is set, \
            AWS_SESSION_TOKEN, like the aws command; it changes nothing there. Create the platform applications here \
            first, because SNS does not return their credentials. A server may run at the same time. Repeat the import \
            before you switch: it keeps changes that were made here, but restores what was deleted or unsubscribed \
            here.
            """
    )

    @Option(help: "Directory of the store, or data directory of a server whose database is $APUS_STORE_URL.")
    var data = "apus-data"

    @Option(help: "Region of the source. Default: $AWS_REGION, or $AWS_DEFAULT_REGION.")
    var region: String?

    @Option(help: "URL of the source. Default: Amazon SNS in the region.")
    var endpointUrl: String?

    @Flag(help: "Read and count, and store nothing.")
    var dryRun = false

    @OptionGroup var output: OutputArguments

    func run() async throws {
        let environment = ProcessInfo.processInfo.environment
        guard let region = self.region ?? environment["AWS_REGION"] ?? environment["AWS_DEFAULT_REGION"],
            SNSScope.isRegion(region)
        else { throw CommandError("bad_region", "Name the region of the source: --region ap-northeast-1", status: 2) }
        guard let id = environment["AWS_ACCESS_KEY_ID"], let secret = environment["AWS_SECRET_ACCESS_KEY"] else {
            throw CommandError(
                "no_credentials",
                "No credentials. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY to a key that may read SNS at the "
                    + "source."
            )
        }
        let domain = region.hasPrefix("cn-") ? "amazonaws.com.cn" : "amazonaws.com"
        let source = try SNSSourceClient(
            url: self.endpointUrl ?? "https://sns.\(region).\(domain)",
            region: region,
            credential: SigningCredential(
                accessKeyID: id,
                secret: secret,
                sessionToken: environment["AWS_SESSION_TOKEN"].flatMap { $0.isEmpty ? nil : $0 }
            )
        )
        let url = environment[ConfigurationKey.storeURL.variable]
        let report = try await ServerStore.open(data: self.data, url: url) { store, _ in
            try await DataKeyLoader.load(into: store, data: self.data)
            var work = SNSImport(source: source, store: store, isDryRun: self.dryRun)
            return try await AuditOrigin.binding(.commandLine()) { try await work.run() }
        }
        if self.output.json { return try Console.json(report) }
        for note in report.notes { Console.note(note) }
        let verb = self.dryRun ? "Would copy" : "Copied"
        Console.out(
            "\(verb) \(report.endpoints) endpoints of \(report.applications) applications, \(report.topics) topics and "
                + "\(report.subscriptions) subscriptions; \(report.newerEndpoints) devices have registered since."
        )
        if report.changedEndpoints + report.changedSubscriptions > 0 {
            Console.out(
                "\(report.changedEndpoints) endpoints and \(report.changedSubscriptions) subscriptions keep their "
                    + "changes that were made here."
            )
        }
        if report.differingSubscriptions > 0 {
            Console.out(
                "\(report.differingSubscriptions) subscriptions exist here with other attributes than at the source, "
                    + "and are not changed."
            )
        }
        if report.goneEndpoints + report.goneSubscriptions > 0 {
            Console.out(
                "\(report.goneEndpoints) endpoints and \(report.goneSubscriptions) subscriptions no longer exist at "
                    + "the source, and are kept here."
            )
        }
    }
}
