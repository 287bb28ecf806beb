// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser
import CommandLineSupport
import Foundation
import SNSProtocol

/// The commands that bring what other services know.
struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Copy what another push service knows.",
        subcommands: [ImportSNSCommand.self]
    )
}

/// Copies endpoints, topics and subscriptions from Amazon SNS, or from a server that speaks as it does.
struct ImportSNSCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sns",
        abstract: "Copy endpoints, topics and subscriptions from Amazon SNS into a store.",
        discussion: """
            The source is asked with AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and, if there is one, AWS_SESSION_TOKEN, as the \
            aws command does; nothing is changed there. Create the platform applications here first: SNS tells nobody \
            their credentials. It may run beside a server. Repeat it before you switch: what has changed here since \
            stays so, but what was deleted or unsubscribed here comes back.
            """
    )

    @Option(help: "The directory of the store, or in which a server runs whose database $APUS_STORE_URL names.")
    var data = "apus-data"

    @Option(help: "The source's region. Default: $AWS_REGION, or $AWS_DEFAULT_REGION.")
    var region: String?

    @Option(help: "The source's address. Default: Amazon SNS in the region.")
    var endpointUrl: String?

    @Flag(help: "Look and count, and store nothing.")
    var dryRun = false

    @OptionGroup var output: OutputArguments

    func run() async throws {
        let environment = ProcessInfo.processInfo.environment
        guard let region = self.region ?? environment["AWS_REGION"] ?? environment["AWS_DEFAULT_REGION"],
            SNSScope.isRegion(region)
        else { throw CommandFailure("bad_region", "Name the source's region: --region ap-northeast-1", status: 2) }
        guard let id = environment["AWS_ACCESS_KEY_ID"], let secret = environment["AWS_SECRET_ACCESS_KEY"] else {
            throw CommandFailure(
                "no_credentials",
                "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY to a key that may read SNS at the source."
            )
        }
        let domain = region.hasPrefix("cn-") ? "amazonaws.com.cn" : "amazonaws.com"
        let source = try SNSSource(
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
            var work = SNSImport(source: source, store: store, isDryRun: self.dryRun)
            return try await work.run()
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
                "\(report.changedEndpoints) endpoints and \(report.changedSubscriptions) subscriptions stay as they were "
                    + "changed here."
            )
        }
        if report.differingSubscriptions > 0 {
            Console.out(
                "\(report.differingSubscriptions) subscriptions were here already, with other attributes than at the source, "
                    + "which stay."
            )
        }
        if report.goneEndpoints + report.goneSubscriptions > 0 {
            Console.out(
                "\(report.goneEndpoints) endpoints and \(report.goneSubscriptions) subscriptions are not at the source any "
                    + "more, and stay here."
            )
        }
    }
}
