// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusScheduling
import Foundation
import IventCore
import Logging
import PushModel
import ServiceLifecycle
import UnixSignals

/// The scheduler, a process of its own: a restart, or a job that needs a whole core, does not affect the backend.
///
/// Writes one line to standard output when it starts: `{"jobs":["…"]}`.
@main
struct IventScheduler {
    static func main() async throws {
        var logger = Logger(label: "ivent-scheduler")
        logger.logLevel = .notice
        let settings = try Settings()
        let clock = try await ProcessClock(simulator: settings.clockSimulator)
        let database = try Database(path: settings.database)
        let apus = ApusClient(server: settings.apusServer, app: settings.app, key: settings.apusKey)
        let jobs: [any ScheduledJob] = [
            PushNotificationJob(database: database, apus: apus, now: { clock.now }),
            WeeklyReportJob(database: database),
        ]
        guard let app = AppID(rawValue: settings.app) else { throw InvalidApp(name: settings.app) }
        let runner = try JobRunner(
            app: app,
            jobs: jobs,
            store: .sqlite(path: try settings.require("APUS_DATABASE")),
            now: { clock.now },
            logger: logger
        )
        print(#"{"jobs":["\#(jobs.map { "\($0.id)" }.joined(separator: #"",""#))"]}"#)
        fflush(nil)
        try await ServiceGroup(
            services: [clock, runner],
            gracefulShutdownSignals: [.sigterm, .sigint],
            logger: logger
        ).run()
    }

    private struct InvalidApp: Error, CustomStringConvertible {
        let name: String
        var description: String { "IVENT_APP: expected a bundle ID, got '\(self.name)'" }
    }
}
