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
            Each line is a device in JSON, or a CSV or TSV record below a line with the column names. The command \
            reports invalid lines on standard error and registers the others. With --json, it writes each line of the \
            server's response to standard output. The exit status is 1 if lines were rejected.

            From another database, through a pipe:
              psql "$DATABASE_URL" -c "COPY (SELECT device_id, apns_token FROM devices WHERE apns_token IS NOT NULL \
            ORDER BY device_id) TO STDOUT CSV HEADER" | apus devices import com.example.app - --format csv \
            --columns device=device_id,token=apns_token
            """
    )

    @Argument(help: "Bundle ID of the app.")
    var app: String

    @Argument(help: "File; - is standard input.")
    var file: String

    @Option(help: "Format: ndjson, csv or tsv. Default: the extension of the file, or ndjson.")
    var format: DeviceFormat?

    @Option(
        help: ArgumentHelp(
            "Columns to read, with their names in the file. Default: all, by the names of docs/devices.md.",
            valueName: "name=column,..."
        )
    )
    var columns: String?

    @Option(help: "Pass over the lines up to this one, which an interrupted import has stored.")
    var skip: Int?

    @Flag(help: "Validate the lines without registering devices.")
    var dryRun = false

    @OptionGroup var server: ServerArguments

    func run() async throws {
        let client = try self.server.client()
        let format = self.format ?? DeviceFormat(file: self.file)
        let upload = try Upload(self.file, mediaType: format.mediaType)
        let progress = ProgressLine.standardError()
        var lines = LineSplitter()
        var end: ImportResponseLine?
        var linesRead = 0
        do {
            try await client.transfer(.post, self.path, upload: upload) { data in
                for line in lines.feed(data) {
                    let answer = try APIResponse(body: Data(line.utf8)).decoded(as: ImportResponseLine.self)
                    if self.server.json { Console.out(line) } else { self.tell(answer, progress) }
                    linesRead = answer.linesRead ?? linesRead
                    if answer.type == "end" { end = answer }
                }
                try lines.checkLength()
            }
        } catch let error as CommandError where error.code == "interrupted" {
            throw Self.endedEarly(error.code, error.message, after: linesRead)
        }
        guard let end else {
            throw Self.endedEarly("interrupted", "The response of the server is incomplete.", after: linesRead)
        }
        if end.reason != "completed" {
            let detail = end.problem?.detail ?? "The import ended early."
            throw Self.endedEarly(end.reason ?? "failed", detail, after: linesRead)
        }
        if !self.server.json { Console.out(end.summary(of: self.app)) }
        if end.rejected ?? 0 > 0 { throw ExitCode.failure }
    }

    private var path: String {
        var query: [String] = []
        if self.dryRun { query.append("dryRun=true") }
        if let columns { query.append("columns=\(columns.asPathSegment)") }
        if let skip { query.append("skip=\(skip)") }
        let path = "/v1/apps/\(self.app.asPathSegment)/devices:import"
        return query.isEmpty ? path : "\(path)?\(query.joined(separator: "&"))"
    }

    /// The failure of an import that did not end, and how to continue it.
    private static func endedEarly(_ code: String, _ detail: String, after line: Int) -> CommandError {
        let sentence = detail.hasSuffix(".") ? detail : "\(detail)."
        // The same request would be rejected again.
        if code == "invalid_request", line == 0 { return CommandError(code, sentence) }
        let next =
            line == 0
            ? "Import the file again."
            : "All lines up to \(line) are imported. Import the same lines again, or continue with --skip \(line)."
        return CommandError(code, "\(sentence) \(next)")
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

/// The format of a device file that is imported.
enum DeviceFormat: String, CaseIterable, ExpressibleByArgument, Sendable {
    case ndjson
    case csv
    case tsv

    /// Returns the format for a file name: that of its extension, otherwise JSON.
    init(file: String) {
        self = Self.allCases.first { file.lowercased().hasSuffix(".\($0.rawValue)") } ?? .ndjson
    }

    var mediaType: String {
        switch self {
        case .ndjson: "application/x-ndjson"
        case .csv: "text/csv"
        case .tsv: "text/tab-separated-values"
        }
    }
}
