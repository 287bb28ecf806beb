// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// What the commands of all workers do.
struct WorkerRun {
    let role: Worker.Role
    let arguments: ConfigurationArguments
    let process: ProcessArguments

    func run() async throws {
        let configuration = try ServerConfiguration(try self.arguments.entries())
        let worker = Worker(role: self.role, configuration: configuration, logger: configuration.processLogger())
        try await worker.run(untilInputEnds: self.process.untilInputEnds) { ready in
            if self.process.json {
                try? Console.announce(json: ready)
            } else {
                let place = "the store in \(ServerStore.place(data: configuration.data, url: configuration.storeURL))"
                let probes = ready.probes.map { "; probes at \($0)" } ?? ""
                Console.announce("apus \(self.role.rawValue): ready; process \(ready.pid) works on \(place)\(probes)")
            }
        }
    }
}
