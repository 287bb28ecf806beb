// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser
import CommandLineSupport
import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

struct DevicesExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Export all devices of an app to a file that can be imported again.",
        discussion: """
            The file contains complete device tokens. Only its owner can read it, and it gets its name when it is \
            complete.
            """
    )

    @Argument(help: "Bundle ID of the app.")
    var app: String

    @Argument(help: "File; - is standard output.")
    var file = "-"

    @Option(help: "Format: ndjson or csv. Default: the extension of the file, or ndjson.")
    var format: DeviceExportFormat?

    @OptionGroup var server: ServerArguments

    private struct Report: Encodable {
        let devices: Int
        let file: String
    }

    /// The chosen format; `nil` for the name of a file that is neither.
    private var chosenFormat: DeviceExportFormat? {
        self.format ?? DeviceExportFormat(rawValue: DeviceFormat(file: self.file).rawValue)
    }

    func validate() throws {
        guard self.chosenFormat != nil else {
            throw ValidationError("An export is ndjson or csv, not tsv. Choose one with --format.")
        }
    }

    func run() async throws {
        let client = try self.server.client()
        let format = self.chosenFormat ?? .ndjson
        let path = "/v1/apps/\(self.app.asPathSegment)/devices:export?format=\(format.rawValue)"
        let progress = ProgressLine.standardError()
        let isFile = self.file != "-"
        let part = "\(self.file).part"
        let handle = isFile ? try self.create(part) : nil
        // No value contains a line feed, so each line is a device; CSV has one line more.
        var devices = format == .csv ? -1 : 0
        try await client.transfer(.get, path) { data in
            if let handle { try handle.write(contentsOf: data) } else { Console.out(bytes: data) }
            devices += data.count { $0 == UInt8(ascii: "\n") }
            if progress.isTerminal, isFile { progress.show("\(devices) devices") }
        }
        progress.clear()
        guard let handle else { return Console.note("\(devices) devices") }
        try handle.close()
        guard rename(part, self.file) == 0 else {
            throw CommandError("unwritable_file", "\(part) is complete. Failed to rename it to \(self.file).")
        }
        if self.server.json {
            try Console.json(Report(devices: devices, file: self.file))
        } else {
            Console.out("Wrote \(devices) devices of \(self.app) to \(self.file).")
        }
    }

    private func create(_ path: String) throws -> FileHandle {
        let isThere = FileManager.default.createFile(
            atPath: path,
            contents: nil,
            attributes: [.posixPermissions: 0o600]
        )
        guard isThere, let handle = FileHandle(forWritingAtPath: path) else {
            throw CommandError(
                "unwritable_file",
                "\(path) cannot be written. Check its directory and your permissions."
            )
        }
        return handle
    }
}

/// The format of an exported device file.
enum DeviceExportFormat: String, CaseIterable, ExpressibleByArgument, Sendable {
    case ndjson
    case csv
}
