// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser
import Foundation
import Testing

@testable import apus

@Suite("apus devices import and export", .timeLimit(.minutes(20)))
struct DeviceFileCommandTests {
    private static let app = ServerInTest.app

    @Test("carry devices over from file to file, tell what was wrong, and how many there were")
    func roundTrip() async throws {
        try await ServerInTest.with(roles: "none") { _, server in
            let file = "\(server.directory)/devices.ndjson"
            let lines = (1...1500).map { #"{"device":"i\#($0)","token":"\#(String(format: "%064x", $0))"}"# }
            try Data((lines + ["nonsense"]).joined(separator: "\n").utf8).write(to: URL(fileURLWithPath: file))

            let trial = try await server.apus("devices", "import", Self.app, file, "--dry-run")
            #expect(trial.status == 1)
            #expect(trial.lines == ["Could import 1500 devices of \(Self.app), 1 lines rejected."])
            #expect(trial.errors.contains("line 1501: "))
            #expect(try await server.apus("devices", "list", Self.app, "--json").lines.isEmpty)

            let run = try await server.apus("devices", "import", Self.app, file, "--json")
            #expect(run.status == 1)
            let end = try run.lastLine(as: ImportResponseLine.self)
            #expect(end.imported == 1500)
            #expect(end.rejected == 1)

            let csv = "\(server.directory)/devices.csv"
            let export = try await server.apus("devices", "export", Self.app, csv, "--json")
            #expect(export.status == 0, "\(export.errors)")
            #expect(export.lines == [#"{"devices":1500,"file":"\#(csv)"}"#])
            let attributes = try FileManager.default.attributesOfItem(atPath: csv)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            let again = try await server.apus("devices", "import", Self.app, csv)
            #expect(again.status == 0, "\(again.errors)")
            #expect(again.lines == ["Imported 1500 devices of \(Self.app), 0 lines rejected."])
            let out = try await server.apus("devices", "export", Self.app)
            #expect(out.lines.count == 1500)
            #expect(out.errors.contains("1500 devices"))
        }
    }

    @Test("export the formats that the help names, and refuse the name of a file in another one")
    func exportFormats() throws {
        let help = DevicesExportCommand.helpMessage(columns: 200)
        #expect(help.contains("ndjson, csv"))
        #expect(!help.contains("tsv"))
        _ = try DevicesExportCommand.parse([Self.app, "devices.csv"])
        _ = try DevicesExportCommand.parse([Self.app, "devices.tsv", "--format", "csv"])
        for arguments in [["devices.tsv"], ["devices.csv", "--format", "tsv"]] {
            #expect(throws: (any Error).self) { _ = try DevicesExportCommand.parse([Self.app] + arguments) }
        }
    }

    @Test("fail in words when there is no file, and no app")
    func failures() async throws {
        try await ServerInTest.with(roles: "none") { _, server in
            let none = try await server.apus("devices", "import", Self.app, "/nowhere/at-all", "--json")
            #expect(none.failure?.code == "unreadable_file")
            let file = "\(server.directory)/empty.csv"
            try Data().write(to: URL(fileURLWithPath: file))
            let app = try await server.apus("devices", "import", "com.example.none", file, "--json")
            #expect(app.failure?.code == "app_not_found")
            let empty = try await server.apus("devices", "import", Self.app, file)
            #expect(empty.status == 1)
            #expect(empty.errors.contains("names of the columns"))
            let export = try await server.apus("devices", "export", "com.example.none", "--json")
            #expect(export.failure?.code == "app_not_found")
        }
    }
}
