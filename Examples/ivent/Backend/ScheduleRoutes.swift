// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import Hummingbird
import IventCore

/// Lessons and their Live Activities.
struct ScheduleRoutes: Sendable {
    let database: Database
    let apus: ApusClient
    let now: @Sendable () -> Date

    /// The body of `PUT /schedules/{id}`; the times are RFC 3339 texts.
    private struct Plan: Decodable {
        var childId, academyId, title, timeZone: String
        var startTime, endTime: Date
    }

    /// The body of `PUT /schedules/{id}/push-token`.
    private struct PushToken: Decodable {
        var token, activityId: String
        var environment: Environment

        enum Environment: String, Decodable { case sandbox, production }
    }

    private struct Started: ResponseCodable { var devices: Int }

    func add(to router: Router<BackendContext>) {
        router.get("schedules") { _, context -> [ScheduleRecord] in
            let parent = context.caller == .staff ? nil : try context.requireParent()
            return try ScheduleRecord.list(parent: parent, in: self.database)
        }
        router.put("schedules/{id}") { request, context -> ScheduleRecord in
            try context.requireStaff()
            let id = try context.parameters.require("id")
            return try await self.plan(id, try await request.decode(as: Plan.self, context: context))
        }
        router.post("schedules/{id}/start") { _, context -> Started in
            try context.requireStaff()
            return Started(devices: try await self.apus.start(try self.find(context)))
        }
        router.post("schedules/{id}/end") { _, context -> ScheduleRecord in
            try context.requireStaff()
            var schedule = try self.find(context)
            try await self.apus.end(schedule)
            schedule.status = .ended
            try schedule.store(in: self.database)
            return schedule
        }
        router.put("schedules/{id}/push-token") { request, context -> HTTPResponse.Status in
            let parent = try context.requireParent()
            let schedule = try self.find(context)
            guard schedule.parentId == parent else { throw HTTPError(.notFound) }
            let body = try await request.decode(as: PushToken.self, context: context)
            try ScheduleRecord.register(
                token: body.token,
                activity: body.activityId,
                environment: body.environment.rawValue,
                for: schedule.id,
                in: self.database
            )
            return .noContent
        }
    }

    private func find(_ context: BackendContext) throws -> ScheduleRecord {
        let id = try context.parameters.require("id")
        guard let schedule = try ScheduleRecord.find(id, in: self.database) else {
            throw HTTPError(.notFound, message: "There is no lesson '\(id)'.")
        }
        return schedule
    }

    /// Plans or moves a lesson.
    ///
    /// The same request can be repeated, for example if Apus did not respond.
    private func plan(_ id: String, _ plan: Plan) async throws -> ScheduleRecord {
        guard plan.startTime < plan.endTime, plan.endTime > self.now() else {
            throw HTTPError(.unprocessableContent, message: "endTime: expected a time in the future after startTime")
        }
        guard TimeZone(identifier: plan.timeZone) != nil else {
            throw HTTPError(.unprocessableContent, message: "timeZone: expected a name such as Asia/Seoul")
        }
        if var schedule = try ScheduleRecord.find(id, in: self.database) {
            guard schedule.status != .ended else {
                throw HTTPError(.conflict, message: "The lesson is over. Plan another one.")
            }
            (schedule.title, schedule.timeZone) = (plan.title, plan.timeZone)
            (schedule.startTime, schedule.endTime) = (plan.startTime, plan.endTime)
            // If it no longer ends soon, that will be announced again, for its new end.
            let endsSoon = schedule.endTime <= self.now().addingTimeInterval(ScheduleRecord.endingWindow)
            if schedule.status == .ending, !endsSoon { schedule.status = .active }
            try schedule.store(in: self.database)
            try await self.apus.put(schedule)
            return schedule
        }
        let sql = "INSERT INTO schedules VALUES (?, ?, ?, ?, ?, ?, ?, 'planned', NULL, NULL, NULL)"
        do {
            try self.database.execute(
                sql,
                [
                    .text(id), .text(plan.childId), .text(plan.academyId), .text(plan.title),
                    .integer(plan.startTime.seconds), .integer(plan.endTime.seconds), .text(plan.timeZone),
                ]
            )
        } catch let error as DatabaseError where error.isMissingReference {
            throw HTTPError(.unprocessableContent, message: "expected a childId and an academyId that exist")
        }
        guard let schedule = try ScheduleRecord.find(id, in: self.database) else { throw HTTPError(.notFound) }
        try await self.apus.put(schedule)
        return schedule
    }
}

extension ScheduleRecord: ResponseEncodable {}
