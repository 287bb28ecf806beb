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
        abstract: "Write all devices of an app to a file that can be imported again.",
        discussion: """
            The file holds whole device tokens: it is made readable for its owner alone, and has its name only once it is \
            complete.
            """
    )

    @Argument(help: "The app's bundle identifier.")
    var app: String

    @Argument(help: "The file; - is standard output.")
    var file = "-"

    @Option(help: "ndjson or csv. Default: what the file's name ends in, or ndjson.")
    var format: DeviceFormat?

    @OptionGroup var server: ServerArguments

    private struct Report: Encodable {
        let devices: Int
        let file: String
    }

    func run() async throws {
        let client = try self.server.client()
        let format = self.format ?? DeviceFormat(file: self.file)
        let path = "/v1/apps/\(self.app.asPathSegment)/devices:export?format=\(format.rawValue)"
        let progress = ProgressLine.standardError()
        let isFile = self.file != "-"
        let part = "\(self.file).part"
        let handle = isFile ? try self.create(part) : nil
        // No value has a line feed in it, so that lines are devices; CSV has one more.
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
            throw CommandFailure("unwritable_file", "\(part) is complete, but cannot be renamed to \(self.file).")
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
            throw CommandFailure("unwritable_file", "\(path) cannot be written.")
        }
        return handle
    }
}
