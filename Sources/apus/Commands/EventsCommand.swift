// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ArgumentParser
import CommandLineSupport
import Foundation

struct EventsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "events",
        abstract: "Watch the event feed of an app.",
        subcommands: [EventsWatchCommand.self]
    )
}

struct EventsWatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Print an app's events as they occur; with --json one object per line.",
        discussion: "Runs until it is interrupted. It reconnects after a restart of the server and misses no event."
    )

    /// The delay before a stream that ended is opened again.
    private static let pause: Duration = .seconds(2)

    @Argument(help: "Bundle ID of the app.")
    var app: String

    @Option(help: "Start after the event with this ID; 'latest' for new events only, 'oldest' for all.")
    var cursor = "latest"

    @Option(help: "Event types to print, separated by commas. Default: all.")
    var types: String?

    @OptionGroup var server: ServerArguments

    func run() async throws {
        let client = try self.server.client()
        var last = self.cursor == "oldest" ? nil : self.cursor
        if last == "latest" { last = try await self.latest(client) }
        var wasConnected = false
        while !Task.isCancelled {
            do {
                try await client.lines(of: self.path("/events", after: last)) { line in
                    wasConnected = true
                    last = try self.print(line) ?? last
                }
                wasConnected = true
            } catch let failure as CommandError where failure.code == "unreachable" && wasConnected {
                Console.note("apus: \(failure.message)")
            }
            try await Task.sleep(for: Self.pause)
        }
    }

    /// The end of the feed, so that no event is missed if the first stream breaks before its first event.
    private func latest(_ client: APIClient) async throws -> String {
        struct Page: Decodable {
            let cursor: String
        }
        return try await client.call(.get, self.path("/events", after: "latest")).decoded(as: Page.self).cursor
    }

    private func path(_ end: String, after: String?) -> String {
        let query = [after.map { "cursor=\($0.asPathSegment)" }, self.types.map { "types=\($0.asPathSegment)" }]
            .compactMap(\.self)
        let path = "/v1/apps/\(self.app.asPathSegment)\(end)"
        return query.isEmpty ? path : "\(path)?\(query.joined(separator: "&"))"
    }

    /// Prints an event.
    ///
    /// - Returns: its id.
    private func print(_ line: String) throws -> String? {
        let event = try JSONValue(json: Array(line.utf8))
        guard case .string(let id)? = event["id"] else { return nil }
        if self.server.json {
            Console.out(line)
        } else {
            let data = try event["data"]?.json() ?? []
            Console.out(
                "\(Self.text(event["time"]))  \(Self.text(event["type"]))  \(String(decoding: data, as: UTF8.self))"
            )
        }
        return id
    }

    private static func text(_ value: JSONValue?) -> String {
        if case .string(let text)? = value { text } else { "-" }
    }
}
