// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import HTTPTypes
import Hummingbird
import PushModel
import PushStore

/// The operations on jobs: `/v1/apps/{app}/jobs`.
///
/// A change of a job requires the scope of its action: `activities` for Live Activities, `campaigns` for all others.
struct JobRoutes: APIRoutes {
    let store: any AppStore & CampaignStore & JobStore & WebhookStore
    let configuration: PushAPIConfiguration
    let now: @Sendable () -> Date

    var routes: [APIRoute] {
        let list = "/v1/apps/{app}/jobs"
        let single = "\(list)/{job}"
        let writers: [Scope] = [.campaigns, .activities]
        let readers: [Scope] = writers + [.read]
        return [
            APIRoute(.get, list, .scopes(readers), self.list),
            APIRoute(.put, single, .scopes(writers), self.put),
            APIRoute(.get, single, .scopes(readers), self.show),
            APIRoute(.delete, single, .scopes(writers), self.delete),
            APIRoute(.post, "\(single):run", .scopes(writers), self.run),
            APIRoute(.post, "\(single):pause", .scopes(writers), self.pause),
            APIRoute(.post, "\(single):resume", .scopes(writers), self.resume),
            APIRoute(.get, "\(single)/runs", .scopes(readers), self.runs),
        ]
    }

    private func put(_ call: AuthorizedRequest) async throws -> Response {
        _ = try call.query()
        let id = try call.job()
        let body = try await call.body(upTo: self.configuration.maximumBodyBytes)
        let app = try await call.requireApp()
        let request = try JobRequest(body, app: app.id)
        let former = try await self.store.job(id, of: app.id)?.job
        if let former { try call.require(former.definition.work.kind) }
        let work = try await self.work(request.work, in: former, of: app.id)
        try call.require(work.kind)
        let definition = JobDefinition(schedule: request.schedule, work: work, policy: request.policy)
        let put = try await self.store.putJob(
            id,
            of: app.id,
            as: definition,
            isPaused: request.isPaused,
            now: self.now()
        )
        switch put {
        case .created(let status):
            let location = "/v1/apps/\(app.id)/jobs/\(id)"
            return try .json(JobResponse(status), status: .created, headers: [.location: location])
        case .changed(let status): return try .json(JobResponse(status))
        case .refused(.tooMany):
            throw Problem(.tooManyJobs, "The app has \(Job.maximumPerApp) jobs, which is the maximum.")
        case .refused: throw Problem(.jobManagedByCode, "A program does the job '\(id)', and defines it.")
        }
    }

    /// Returns the action of a request; copies its campaign, unless the job has the copy already.
    private func work(_ draft: JobActionParser, in former: Job?, of app: AppID) async throws -> JobAction {
        switch draft {
        case .notification(let work): return .campaign(work)
        case .activities(var work):
            work.change = work.change.within(self.configuration.activityLimits)
            return .activities(work)
        case .webhook(let work):
            guard try await self.store.webhook(work.webhook)?.app == app else { throw Problem.unknownWebhook }
            return .webhook(work)
        case .campaign(let id):
            if case .campaign(let known)? = former?.definition.work, known.source == id { return .campaign(known) }
            guard let status = try await self.store.campaign(id), status.campaign.app == app else {
                throw Problem.unknownCampaign
            }
            return .campaign(JobCampaign(copying: status.campaign))
        }
    }

    private func list(_ call: AuthorizedRequest) async throws -> Response {
        let page = try PageRequest(try call.query("cursor", "limit"))
        let cursor = try page.cursor { JobID(rawValue: $0) }
        let app = try await call.requireApp()
        let found = try await self.store.jobs(of: app.id, after: cursor, limit: page.limit)
        let bodies = try found.elements.map { try JobResponse($0) }
        return try .json(JobListResponse(jobs: bodies, nextCursor: found.next?.rawValue))
    }

    private func show(_ call: AuthorizedRequest) async throws -> Response {
        _ = try call.query()
        return try .json(JobResponse(try await self.known(call)))
    }

    private func delete(_ call: AuthorizedRequest) async throws -> Response {
        _ = try call.query()
        let app = try await call.requireApp()
        guard let id = call.parameter("job").flatMap(JobID.init(rawValue:)) else { throw Problem.unknownJob }
        do {
            _ = try await self.changeable(call)
        } catch let error as StoreError where error.code == .corrupt {
            // Deleting a corrupt job is the only repair. Its action is unknown, and so is the required scope.
            for kind in [JobAction.Kind.activities, .campaign] { try call.require(kind) }
        }
        guard try await self.store.deleteJob(id, of: app.id) else { throw Problem.unknownJob }
        return Response(status: .noContent)
    }

    private func run(_ call: AuthorizedRequest) async throws -> Response {
        _ = try call.query()
        let job = try await self.changeable(call)
        switch try await self.store.runJob(job.id, of: job.app, now: self.now()) {
        case .made(let run): return try .json(JobRunResponse(run), status: .accepted)
        case .busy:
            throw Problem(.jobRunInProgress, "As many runs of the job '\(job.id)' are open as its policy allows.")
        case nil: throw Problem.unknownJob
        }
    }

    private func pause(_ call: AuthorizedRequest) async throws -> Response {
        try await self.steer(call) { try await self.store.pauseJob($0.id, of: $0.app, now: self.now()) }
    }

    private func resume(_ call: AuthorizedRequest) async throws -> Response {
        try await self.steer(call) { try await self.store.resumeJob($0.id, of: $0.app, now: self.now()) }
    }

    private func steer(_ call: AuthorizedRequest, _ change: (Job) async throws -> JobStatus?) async throws -> Response {
        _ = try call.query()
        let job = try await self.changeable(call)
        guard let status = try await change(job) else { throw Problem.unknownJob }
        return try .json(JobResponse(status))
    }

    private func runs(_ call: AuthorizedRequest) async throws -> Response {
        let page = try PageRequest(try call.query("cursor", "limit"))
        let cursor = try page.cursor { Int64($0) }
        let job = try await self.known(call).job
        let found = try await self.store.jobRuns(of: job.id, app: job.app, after: cursor, limit: page.limit)
        let bodies = found.elements.map(JobRunResponse.init)
        return try .json(JobRunListResponse(runs: bodies, nextCursor: found.next.map { String($0) }))
    }

    /// The job in a call's path, which the key may change.
    private func changeable(_ call: AuthorizedRequest) async throws -> Job {
        let job = try await self.known(call).job
        try call.require(job.definition.work.kind)
        return job
    }

    /// The job in a call's path, which exists.
    private func known(_ call: AuthorizedRequest) async throws -> JobStatus {
        let app = try await call.requireApp()
        guard let id = call.parameter("job").flatMap(JobID.init(rawValue:)),
            let status = try await self.store.job(id, of: app.id)
        else { throw Problem.unknownJob }
        return status
    }
}

extension AuthorizedRequest {
    /// The name in the path, which may be that of a job.
    fileprivate func job() throws(Problem) -> JobID {
        if let id = self.parameter("job").flatMap(JobID.init(rawValue:)) { return id }
        throw Problem(.invalidRequest, at: .parameter("job"), expected: JobID.rule, got: "another text")
    }

    /// Checks that the key has the scope for an action.
    fileprivate func require(_ kind: JobAction.Kind) throws(Problem) {
        let scope: Scope
        switch kind {
        case .activities: scope = .activities
        case .notification, .campaign, .webhook: scope = .campaigns
        case .code: return
        }
        if let refusal = self.key?.refusal(to: scope, app: try self.app()) { throw Problem(refusal, scopes: [scope]) }
    }
}

extension Problem {
    static var unknownJob: Problem { Problem(.jobNotFound, "The app has no job of the name in the path.") }
}
