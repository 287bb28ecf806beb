// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser
import CommandLineSupport
import Foundation

struct DevicesImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Register the devices in a file of any length.",
        discussion: """
            Each line is a device in JSON, or a CSV record below a line with the column names. The command reports \
            invalid lines on standard error and registers the others. With --json, it writes each line of the server's \
            response to standard output. The exit status is 1 if lines were rejected.
            """
    )

    @Argument(help: "Bundle ID of the app.")
    var app: String

    @Argument(help: "File; - is standard input.")
    var file: String

    @Option(help: "Format: ndjson or csv. Default: the extension of the file, or ndjson.")
    var format: DeviceFormat?

    @Flag(help: "Validate the lines without registering devices.")
    var dryRun = false

    @OptionGroup var server: ServerArguments

    func run() async throws {
        let client = try self.server.client()
        let format = self.format ?? DeviceFormat(file: self.file)
        let upload = try Upload(self.file, mediaType: format.mediaType)
        let path = "/v1/apps/\(self.app.asPathSegment)/devices:import" + (self.dryRun ? "?dryRun=true" : "")
        let progress = ProgressLine.standardError()
        var lines = LineSplitter()
        var end: ImportResponseLine?
        try await client.transfer(.post, path, upload: upload) { data in
            for line in lines.feed(data) {
                let answer = try APIResponse(body: Data(line.utf8)).decoded(as: ImportResponseLine.self)
                if self.server.json { Console.out(line) } else { self.tell(answer, progress) }
                if answer.type == "end" { end = answer }
            }
            try lines.checkLength()
        }
        guard let end else {
            throw CommandError(
                "interrupted",
                "The response of the server is incomplete. Import the file again; a repetition changes nothing."
            )
        }
        if end.reason != "completed" {
            let detail = end.problem?.detail ?? "The import ended early."
            throw CommandError(end.reason ?? "failed", "\(detail) All lines up to \(end.linesRead ?? 0) are imported.")
        }
        if !self.server.json { Console.out(end.summary(of: self.app)) }
        if end.rejected ?? 0 > 0 { throw ExitCode.failure }
    }

    private func tell(_ answer: ImportResponseLine, _ progress: ProgressLine) {
        switch answer.type {
        case "progress":
            let text = "\(answer.linesRead ?? 0) lines, \(answer.rejected ?? 0) rejected"
            if progress.isTerminal { progress.show(text) } else { Console.note(text) }
        case "rejected": progress.end("line \(answer.line ?? 0): \(answer.problem?.words ?? "rejected")")
        default: progress.clear()
        }
    }
}

struct ImportResponseLine: Decodable {
    /// The error of a line, or of the import.
    struct Problem: Decodable {
        let code: String
        let detail: String
        let field: String?
        let expected: String?
        let actual: String?

        var words: String {
            guard let field, let expected, let actual else { return self.detail }
            return "\(field): expected \(expected), got \(actual)"
        }
    }

    let type: String
    let reason: String?
    let line: Int?
    let linesRead: Int?
    let imported: Int?
    let skippedOlder: Int?
    let rejected: Int?
    let dryRun: Bool?
    let problem: Problem?

    func summary(of app: String) -> String {
        let verb = self.dryRun == true ? "Could import" : "Imported"
        let older = self.skippedOlder ?? 0
        let rest = older == 0 ? "" : ", \(older) skipped because the server has newer data"
        return "\(verb) \(self.imported ?? 0) devices of \(app), \(self.rejected ?? 0) lines rejected\(rest)."
    }
}

/// The format of a device file.
enum DeviceFormat: String, CaseIterable, ExpressibleByArgument, Sendable {
    case ndjson
    case csv

    /// Returns the format for a file name: CSV if it ends in `.csv`, otherwise JSON.
    init(file: String) {
        self = file.lowercased().hasSuffix(".csv") ? .csv : .ndjson
    }

    var mediaType: String {
        switch self {
        case .ndjson: "application/x-ndjson"
        case .csv: "text/csv"
        }
    }
}
