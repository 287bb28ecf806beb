// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Hummingbird

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Live Activities.
extension ControlAPI {
    func addActivityRoutes(to router: Router<Context>) {
        router.get("/v1/devices/{id}/activities", use: self.listActivities)
        router.post("/v1/devices/{id}/activities", use: self.startActivity)
        router.get("/v1/devices/{id}/activities/{activity}", use: self.showActivity)
        router.post("/v1/devices/{id}/activities/{activity}/update", use: self.updateActivity)
        router.post("/v1/devices/{id}/activities/{activity}/end", use: self.endActivity)
        router.post("/v1/devices/{id}/activities/{activity}/swipe", use: self.swipeActivity)
        router.post("/v1/devices/{id}/activities/{activity}/rotate-token", use: self.rotateActivityToken)
        router.get("/v1/devices/{id}/apps/{bundleID}/live-activities", use: self.showActivityApp)
        router.patch("/v1/devices/{id}/apps/{bundleID}/live-activities", use: self.changeActivityApp)
        router.post("/v1/devices/{id}/apps/{bundleID}/push-to-start", use: self.issuePushToStart)
        router.get("/v1/apps/{bundleID}/activity-types", use: self.listActivityTypes)
        router.put("/v1/apps/{bundleID}/activity-types/{name}", use: self.registerActivityType)
        router.delete("/v1/apps/{bundleID}/activity-types/{name}", use: self.removeActivityType)
    }

    // MARK: Activities

    func listActivities(_ request: Request, _ context: Context) async throws -> Response {
        let id = try self.activityDevice(context)
        return Self.json(
            .object([
                ("activities", .array(self.simulator.activities(on: id).map(\.output))),
                ("ignored", .array(self.simulator.ignoredActivityPushes(on: id).map(\.output))),
            ])
        )
    }

    func showActivity(_ request: Request, _ context: Context) async throws -> Response {
        Self.json(try self.activity(context).output)
    }

    func startActivity(_ request: Request, _ context: Context) async throws -> Response {
        let id = try self.activityDevice(context)
        var object = try await Self.body(request)
        let values = ActivityRequest(
            bundleID: try object.require("bundleID", try object.string("bundleID")),
            attributesType: try object.require("attributesType", try object.string("attributesType")),
            attributes: try object.json("attributes") ?? .object([:]),
            contentState: try object.require("contentState", try object.json("contentState")),
            staleDate: try object.date("staleDate"),
            relevanceScore: try object.number("relevanceScore", in: -1e300...1e300) ?? 0,
            pushType: try Self.pushType(&object),
            startDate: try object.date("startDate"),
            hasAlert: try object.bool("alert") ?? false,
            isIntent: try object.bool("intent") ?? false
        )
        try object.finish()
        let activity = try Self.translating { try self.simulator.startActivity(values, on: id) }
        return Self.created(activity.output)
    }

    func updateActivity(_ request: Request, _ context: Context) async throws -> Response {
        let activity = try self.runningActivity(context)
        var object = try await Self.body(request)
        let content = try object.require("contentState", try Self.content(&object))
        try object.finish()
        return Self.json(try Self.translating { try self.simulator.updateActivity(activity.id, content) }.output)
    }

    func endActivity(_ request: Request, _ context: Context) async throws -> Response {
        let activity = try self.runningActivity(context)
        var object = try await Self.body(request)
        let content = try Self.content(&object)
        let dismissal = try Self.dismissal(&object)
        try object.finish()
        let ended = try Self.translating {
            try self.simulator.endActivity(activity.id, content, dismissal: dismissal)
        }
        return Self.json(ended.output)
    }

    func swipeActivity(_ request: Request, _ context: Context) async throws -> Response {
        let activity = try self.activity(context)
        return Self.json(try Self.translating { try self.simulator.swipeAwayActivity(activity.id) }.output)
    }

    func rotateActivityToken(_ request: Request, _ context: Context) async throws -> Response {
        let activity = try self.activity(context)
        return Self.json(try Self.translating { try self.simulator.rotateActivityToken(activity.id) }.output)
    }

    // MARK: Apps on a device

    func showActivityApp(_ request: Request, _ context: Context) async throws -> Response {
        let id = try self.activityDevice(context)
        let bundleID = try context.parameter("bundleID")
        return Self.json(try Self.translating { try self.simulator.activityState(of: bundleID, on: id) }.output)
    }

    func changeActivityApp(_ request: Request, _ context: Context) async throws -> Response {
        let id = try self.activityDevice(context)
        let bundleID = try context.parameter("bundleID")
        var object = try await Self.body(request)
        let enabled = try object.bool("enabled")
        let frequent = try object.bool("frequentPushesEnabled")
        let failure = try object.choice("nextRequestFailure", ActivityAuthorizationError.Code.self)
        let allowed = try object.bool("allowed")
        try object.finish()
        let state = try Self.translating {
            var state = try self.simulator.configureActivities(for: bundleID, on: id) { settings in
                if let enabled { settings.areActivitiesEnabled = enabled }
                if let frequent { settings.frequentPushesEnabled = frequent }
                if let failure { settings.nextRequestFailure = failure }
            }
            if let allowed {
                state = try self.simulator.answerActivityQuestion(allows: allowed, for: bundleID, on: id)
            }
            return state
        }
        return Self.json(state.output)
    }

    func issuePushToStart(_ request: Request, _ context: Context) async throws -> Response {
        let id = try self.activityDevice(context)
        let bundleID = try context.parameter("bundleID")
        var object = try await Self.body(request)
        let type = try object.require("attributesType", try object.string("attributesType"))
        try object.finish()
        let token = try Self.translating {
            try self.simulator.issuePushToStartToken(type, for: bundleID, on: id)
        }
        return Self.created(.object([("attributesType", .string(type)), ("token", .string(token.hex))]))
    }

    // MARK: Reading requests

    private func activityDevice(_ context: Context) throws -> VirtualDeviceID {
        let id = VirtualDeviceID(rawValue: String(try context.parameter("id").prefix(80)))
        guard self.simulator.device(id) != nil else { throw ControlProblem.notFound("device \(id)") }
        return id
    }

    private func activity(_ context: Context) throws -> LiveActivity {
        let device = try self.activityDevice(context)
        let id = ActivityID(rawValue: String(try context.parameter("activity").prefix(80)))
        guard let activity = self.simulator.activity(id), activity.device == device else {
            throw ControlProblem.notFound("activity \(id) on device \(device)")
        }
        return activity
    }

    /// The activity of the request; throws if it cannot be updated by its app.
    private func runningActivity(_ context: Context) throws -> LiveActivity {
        let activity = try self.activity(context)
        guard activity.state.isRunning else {
            let rule = "an activity that has not ended"
            throw ControlProblem(.activityRefused, field: "activity", rule: rule, value: activity.state.rawValue)
        }
        return activity
    }

    private static func pushType(_ object: inout JSONRequestBody) throws(ControlProblem) -> ActivityPushType {
        let channel = try object.string("channel")
        switch (try object.string("pushType"), channel) {
        case (nil, nil), ("token", nil): return .token
        case ("none", nil): return .none
        case (nil, let channel?), ("channel", let channel?): return .channel(channel)
        case ("channel", nil): return .channel(try object.require("channel", channel))
        case (let name?, _):
            let rule = "token, none or channel, the last with a channel"
            throw object.invalid("pushType", rule: rule, value: String(name.prefix(20)))
        }
    }

    private static func content(_ object: inout JSONRequestBody) throws(ControlProblem) -> ActivityContent? {
        let contentState = try object.json("contentState")
        let staleDate = try object.date("staleDate")
        let relevanceScore = try object.number("relevanceScore", in: -1e300...1e300)
        let timestamp = try object.date("timestamp")
        return contentState.map {
            ActivityContent(
                contentState: $0,
                staleDate: staleDate,
                relevanceScore: relevanceScore,
                timestamp: timestamp
            )
        }
    }

    private static func dismissal(_ object: inout JSONRequestBody) throws(ControlProblem) -> ActivityDismissalPolicy {
        let date = try object.date("dismissalDate")
        switch (try object.string("dismissal"), date) {
        case (nil, nil), ("default", nil): return .default
        case ("immediate", nil): return .immediate
        case (nil, let date?), ("after", let date?): return .after(date)
        case ("after", nil): return .after(try object.require("dismissalDate", date))
        case (let name?, _):
            let rule = "default, immediate or after, the last with a dismissalDate"
            throw object.invalid("dismissal", rule: rule, value: String(name.prefix(20)))
        }
    }

    /// Converts errors of the simulator to problems.
    static func translating<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as ActivityAuthorizationError {
            var problem = ControlProblem(.activityRefused, detail: error.description)
            problem.rule = "a request that ActivityKit allows"
            problem.value = error.code.rawValue
            throw problem
        } catch let error as InvalidValueError {
            throw ControlProblem(error)
        } catch let error as APNsSimulatorError {
            switch error.code {
            case .unknownDevice, .unknownApp, .unknownActivity: throw ControlProblem(.notFound, detail: error.message)
            case .channelRefused: throw ControlProblem(.channelRefused, detail: error.message)
            default: throw error
            }
        }
    }
}

/// Types of Live Activities.
extension ControlAPI {
    func listActivityTypes(_ request: Request, _ context: Context) async throws -> Response {
        let types = self.simulator.activityTypes(of: try context.topic())
        return Self.json(.object([("types", .array(types.map(\.output)))]))
    }

    func registerActivityType(_ request: Request, _ context: Context) async throws -> Response {
        let bundleID = try context.topic()
        let name = try context.parameter("name")
        var object = try await Self.body(request)
        let attributes = try Self.shape("attributes", &object) ?? .empty
        let contentState = try object.require("contentState", try Self.shape("contentState", &object))
        try object.finish()
        let type = ActivityType(name: name, attributes: attributes, contentState: contentState)
        self.simulator.register(type, for: bundleID)
        return Self.json(type.output)
    }

    func removeActivityType(_ request: Request, _ context: Context) async throws -> Response {
        let bundleID = try context.topic()
        let name = try context.parameter("name")
        guard self.simulator.removeActivityType(name, for: bundleID) else {
            throw ControlProblem.notFound("activity type \(name.prefix(80)) of \(bundleID.prefix(80))")
        }
        return Self.noContent()
    }

    private static func shape(
        _ name: String,
        _ object: inout JSONRequestBody
    ) throws(ControlProblem) -> AttributesSchema? {
        guard let json = try object.json(name) else { return nil }
        do {
            return try AttributesSchema(json: json)
        } catch {
            throw ControlProblem(error, field: error.field.replacingPrefix("shape", with: name))
        }
    }
}

extension String {
    fileprivate func replacingPrefix(_ prefix: String, with other: String) -> String {
        self.hasPrefix(prefix) ? other + self.dropFirst(prefix.count) : self
    }
}

extension ActivityType {
    /// The type as the control API shows it, and takes it.
    var output: JSONOutput {
        .object([
            ("name", .string(self.name)),
            ("attributes", .json(self.attributes.json)),
            ("contentState", .json(self.contentState.json)),
        ])
    }
}

/// Broadcast channels.
extension ControlAPI {
    func addChannelRoutes(to router: Router<Context>) {
        router.get("/v1/apps/{bundleID}/channels", use: self.listChannels)
        router.post("/v1/apps/{bundleID}/channels", use: self.createChannel)
        router.get("/v1/apps/{bundleID}/broadcast", use: self.showBroadcast)
        router.put("/v1/apps/{bundleID}/broadcast", use: self.changeBroadcast)
    }

    func listChannels(_ request: Request, _ context: Context) async throws -> Response {
        let bundleID = try context.topic()
        let environments = APNsEnvironment.allCases.map { self.simulator.channels(of: bundleID, environment: $0) }
        return Self.json(.object([("channels", .array(environments.joined().map(\.output)))]))
    }

    func createChannel(_ request: Request, _ context: Context) async throws -> Response {
        let bundleID = try context.topic()
        var object = try await Self.body(request)
        let policy = try object.integer("storagePolicy", in: 0...1) ?? 0
        let environment = try object.choice("environment", APNsEnvironment.self)
        try object.finish()
        let channel = try Self.translating {
            try self.simulator.createChannel(
                for: bundleID,
                environment: environment,
                storagePolicy: ChannelStoragePolicy(rawValue: policy) ?? .noMessageStored
            )
        }
        return Self.created(channel.output)
    }

    func showBroadcast(_ request: Request, _ context: Context) async throws -> Response {
        let bundleID = try context.topic()
        return Self.json(.object([("enabled", .bool(self.simulator.isBroadcastEnabled(for: bundleID)))]))
    }

    func changeBroadcast(_ request: Request, _ context: Context) async throws -> Response {
        let bundleID = try context.topic()
        var object = try await Self.body(request)
        let isEnabled = try object.require("enabled", try object.bool("enabled"))
        try object.finish()
        self.simulator.setBroadcastEnabled(isEnabled, for: bundleID)
        return Self.json(.object([("enabled", .bool(isEnabled))]))
    }
}
