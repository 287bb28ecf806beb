// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsSimulator
import CommandLineSupport
import Foundation
import Testing

#if os(Linux)
@Suite("A simulator whose disk is full", .timeLimit(.minutes(20)))
struct FullDiskTests {
    @Test("serves providers all the same: after its start it needs no file, and its log may be lost")
    func fullDisk() async throws {
        try await withTemporaryDirectory { directory in
            let arguments = "simulate --dir '\(directory)/simulator' --json --exit-on-stdin-close"
            let process = try ChildProcess(
                executable: "/bin/sh",
                arguments: ["-ec", "exec '\(BuiltExecutable.path)' \(arguments) 2>/dev/full"],
                log: "\(directory)/log"
            )
            let simulator = SimulatorProcess(process, try await process.ready(SimulatorEndpoints.self), in: directory)
            // What the client needs of the directory goes elsewhere, then there is no directory.
            let kept = "\(directory)/kept"
            try FileManager.default.moveItem(atPath: "\(directory)/simulator", toPath: kept)
            try Data().write(to: URL(fileURLWithPath: "\(directory)/simulator"))

            let device = try await simulator.call(.post, "/v1/devices", ["apps": ["com.example.app"]])
            let token = try #require((device["tokens"] as? [String: String])?["com.example.app"])
            let moved = ["SIMULATOR_CA": "\(kept)/ca.pem", "SIMULATOR_KEY": "\(kept)/demo-key.p8"]
            let lines = try await PythonEnvironment.run(
                [PythonEnvironment.file("Tests/EndToEndTests/PythonClients/Scripts/with_aioapns.py")],
                environment: simulator.environment(sendingTo: [token], of: "com.example.app").merging(moved) { $1 },
                in: directory
            )
            #expect(lines.last?.contains("\"status\": 200") == true)
            #expect(await process.stop() == 0)
        }
    }
}
#endif
