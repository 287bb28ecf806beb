// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Logging
import PostgresStore
public import PushModel
public import PushStore
import SQLiteStore
import Scheduling
public import ServiceLifecycle

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Runs jobs that are written in Swift, with the same leases, history, overlap and misfire policies as those of the
/// API.
///
///     let runner = try JobRunner(
///         app: "com.example.app",
///         jobs: [Cleanup(), Report()],
///         store: .sqlite(path: "apus-data/apus.db"),
///         logger: logger
///     )
///     try await ServiceGroup(services: [runner], gracefulShutdownSignals: [.sigterm], logger: logger).run()
///
/// Any number of processes can run the same jobs with the same store: each occurrence runs in one of them. `apus jobs`
/// lists, pauses and starts them manually. A job that is no longer passed stays, without runs, until it is deleted
/// there.
public struct JobRunner: Service {
    private let app: AppID
    private let jobs: [JobID: any ScheduledJob]
    private let location: JobStoreConfiguration
    private let masterKey: MasterKey?
    private let concurrency: Int
    private let clock: any Clock<Duration>
    private let now: @Sendable () -> Date
    private let logger: Logger

    /// Creates a service that registers jobs and, while it runs, executes their runs.
    ///
    /// - Parameters:
    ///   - app: the app of the jobs; it must exist.
    ///   - jobs: the jobs.
    ///   - store: the store of the servers.
    ///   - masterKey: the master key of the servers, if the store is sealed at rest.
    ///   - concurrency: the maximum number of concurrent runs, 1...1000.
    ///   - clock: the clock for delays.
    ///   - now: returns the current time, which determines when jobs are due.
    ///   - logger: logs failed runs, and failures of the store.
    /// - Throws: ``JobRunnerError`` if two jobs have the same name, or the policy of one contradicts itself.
    public init(
        app: AppID,
        jobs: [any ScheduledJob],
        store: JobStoreConfiguration,
        masterKey: MasterKey? = nil,
        concurrency: Int = 32,
        clock: any Clock<Duration> = ContinuousClock(),
        now: @escaping @Sendable () -> Date = { Date() },
        logger: Logger
    ) throws(JobRunnerError) {
        var named: [JobID: any ScheduledJob] = [:]
        for job in jobs {
            guard !job.policy.isContradictory else { throw .unfitPolicy(job.id) }
            guard named.updateValue(job, forKey: job.id) == nil else { throw .repeatedName(job.id) }
        }
        self.app = app
        self.jobs = named
        self.location = store
        self.masterKey = masterKey
        self.concurrency = concurrency
        self.clock = clock
        self.now = now
        self.logger = logger
    }

    /// Opens the store, registers the jobs and runs them until the service is shut down or the task is cancelled.
    ///
    /// - Throws: ``JobRunnerError``; `InvalidValueError` for an invalid schedule; `StoreError` if the store
    ///   cannot be opened, or the app does not exist.
    public func run() async throws {
        switch self.location {
        case .store(let store):
            try await self.run(on: store)
        case .sqlite(let path):
            let configuration = SQLiteStoreConfiguration(path: path)
            try await withSQLiteStore(configuration: configuration, logger: self.logger) { try await self.run(on: $0) }
        case .postgres(let url):
            let configuration = PostgresStoreConfiguration(url: url)
            try await withPostgresStore(configuration: configuration, logger: self.logger) { store in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    defer { group.cancelAll() }
                    // Exchanges changes with other processes.
                    group.addTask { try await store.run() }
                    try await self.run(on: store)
                }
            }
        }
    }

    private func run(on store: any PushStore) async throws {
        try await store.openDataKey(with: self.masterKey)
        for (id, job) in self.jobs.sorted(by: { $0.key < $1.key }) {
            let definition = JobDefinition(schedule: try job.schedule, work: .code, policy: job.policy)
            let put = try await store.putJob(id, of: self.app, as: definition, isPaused: nil, now: self.now())
            if case .refused(let refusal) = put { throw JobRunnerError(refusal, of: id) }
        }
        var configuration = JobSchedulerConfiguration()
        configuration.concurrency = self.concurrency
        let scheduler = JobScheduler(
            store: store,
            scope: .code(self.app, self.jobs.keys.sorted()),
            handler: ScheduledJobHandler(jobs: self.jobs, store: store, now: self.now, logger: self.logger),
            configuration: configuration,
            clock: self.clock,
            now: self.now,
            logger: self.logger
        )
        try await scheduler.run()
    }
}

/// The location of the store, which the servers share.
public enum JobStoreConfiguration: Sendable {
    /// The file `apus.db` in the data directory of a server on this machine.
    case sqlite(path: String)

    /// A PostgreSQL database, as `postgres://user:password@host/database`.
    case postgres(url: String)

    /// An open store; the caller that opened it closes it.
    case store(any PushStore)
}

/// An error of the registration of jobs.
public struct JobRunnerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The code of the failure.
    public enum Code: String, Hashable, Sendable {
        /// Two jobs have the same name.
        case repeatedName

        /// The name belongs to a job that was created through the API.
        case nameTaken

        /// The app has the maximum number of jobs.
        case tooMany

        /// The policy of a job contradicts itself.
        case unfitPolicy
    }

    /// The code of the failure.
    public let code: Code

    /// The failure, and how to fix it.
    public let message: String

    /// The code and the message.
    public var description: String { "\(self.code.rawValue): \(self.message)" }

    static func repeatedName(_ id: JobID) -> JobRunnerError {
        JobRunnerError(code: .repeatedName, message: "Two jobs are called '\(id)'. Give one of them another `id`.")
    }

    static func unfitPolicy(_ id: JobID) -> JobRunnerError {
        JobRunnerError(
            code: .unfitPolicy,
            message:
                "The job '\(id)' runs each missed occurrence (`misfire: .runAll`), but skips overlapping ones (`overlap: "
                + ".skip`), so it would run one and drop the others. Set `overlap` to `.bufferOne` or `.allow`, or "
                + "omit it."
        )
    }
}

extension JobRunnerError {
    init(_ refusal: JobDefinitionError, of id: JobID) {
        switch refusal {
        case .tooMany:
            self.init(code: .tooMany, message: "The app has \(Job.maximumPerApp) jobs already. Remove some.")
        case .isCode, .isNotCode:
            let message = "The app has a job '\(id)' that was created through the API. Delete it, or use another `id`."
            self.init(code: .nameTaken, message: message)
        }
    }
}
