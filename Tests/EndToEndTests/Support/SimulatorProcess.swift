// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsSimulator
import CommandLineSupport
import Foundation

/// An `apus simulate` of its own, as a team would start it for its tests.
struct SimulatorProcess: Sendable {
    let process: ChildProcess
    let endpoints: SimulatorEndpoints
    let directory: String
    private let exchange: HTTPJSONClient

    /// Starts the process and waits for the line that says that it is ready.
    init(in directory: String, arguments: [String] = []) async throws {
        let process = try ChildProcess(
            executable: BuiltExecutable.path,
            arguments: ["simulate", "--dir", "\(directory)/simulator", "--json", "--exit-on-stdin-close"] + arguments,
            log: "\(directory)/simulator.log"
        )
        self.init(process, try await process.ready(SimulatorEndpoints.self), in: directory)
    }

    /// A process that has said that it is ready.
    init(_ process: ChildProcess, _ endpoints: SimulatorEndpoints, in directory: String) {
        self.directory = directory
        self.process = process
        self.endpoints = endpoints
        self.exchange = HTTPJSONClient(url: "http://127.0.0.1:\(endpoints.controlPort)")
    }

    /// Calls the control API.
    ///
    /// - Throws: ``CommandError`` unless the answer is a success.
    /// - Returns: the answer's JSON object; empty where there is none.
    @discardableResult
    func call(_ method: HTTPVerb, _ path: String, _ body: [String: Any]? = nil) async throws -> [String: Any] {
        let data = try body.map { try JSONSerialization.data(withJSONObject: $0) }
        let answer = try await self.exchange.send(method, path, body: data)
        guard (200..<300).contains(answer.status) else {
            throw CommandError(problem: answer, of: "\(method.rawValue) \(path)")
        }
        guard !answer.body.isEmpty else { return [:] }
        return try JSONSerialization.jsonObject(with: answer.body) as? [String: Any] ?? [:]
    }

    /// What a Python script has to know to send to one app.
    func environment(sendingTo tokens: [String], of topic: String) -> [String: String] {
        [
            "SIMULATOR_PORT": "\(self.endpoints.port)",
            "SIMULATOR_CA": self.endpoints.caPath ?? "",
            "SIMULATOR_KEY": self.endpoints.keyPath ?? "",
            "SIMULATOR_KEY_ID": self.endpoints.keyID,
            "SIMULATOR_TEAM_ID": self.endpoints.teamID,
            "TOPIC": topic,
            "TOKENS": tokens.joined(separator: ","),
        ]
    }
}
