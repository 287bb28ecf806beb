// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import HTTPTypes
import PushAPI
import Testing

@Suite("The limits in the OpenAPI document", .timeLimit(.minutes(20)))
struct RequestLimitTests {
    /// A request whose members are tried one by one.
    struct Sample: Sendable, CustomTestStringConvertible {
        let schema: String
        let method: HTTPRequest.Method
        let path: String
        /// Members that the limits of the others depend on.
        let context: String

        var testDescription: String { self.schema }

        init(_ schema: String, _ method: HTTPRequest.Method, _ path: String, context: String = "") {
            self.schema = schema
            self.method = method
            self.path = path
            self.context = context
        }

        func body(_ member: String, _ value: String) -> String {
            #"{\#(self.context)"\#(member)":\#(value)}"#
        }
    }

    /// The values of requests that have no limit of their own, beside the size of the body and of the payload.
    private static let unlimited: Set = [
        "ActivityAlert.body", "ActivityAlert.title", "ActivityAlertText.arguments", "ActivityAlertText.arguments[]",
        "Alert.body", "Alert.category", "Alert.filterCriteria", "Alert.subtitle", "Alert.targetContentID",
        "Alert.threadID", "Alert.title", "CredentialRequest.p12",
        // The elements are of a closed set, and may be repeated.
        "CredentialRequest.environments", "KeyRequest.scopes", "UpdateWebhookRequest.eventTypes[]",
        "WebhookRequest.eventTypes[]",
        // A time or `never`.
        "ActivityChange.staleDate", "ActivityUpdate.staleDate", "JobActivityChange.staleDate",
        "TransitionRequest.staleDate",
        // The limit is for the instants of the activity after the change.
        "ActivityChange.instants", "ActivityUpdate.instants",
        // Texts, numbers and arrays of them.
        "PublicationRequest.attributes.*",
        // Only in answers.
        "Audience.subscribers.policies", "Audience.subscribers.policies[]", "Audience.subscribers.topic",
        // An import ignores them.
        "DeviceLine.app", "DeviceLine.createdAt", "DeviceLine.seenAt",
    ]

    private static let app = "/v1/apps/\(TestAPI.app)"

    private static let samples = [
        Sample("ActivityChange", .patch, "\(Self.app)/activities/lesson"),
        Sample("ActivityRequest", .post, "\(Self.app)/activities", context: #""audience":{"all":true},"#),
        Sample("AppRequest", .post, "/v1/apps"),
        Sample("CampaignRequest", .post, "\(Self.app)/campaigns"),
        Sample("DeviceRequest", .put, "\(Self.app)/devices/phone"),
        Sample("JobRequest", .put, "\(Self.app)/jobs/daily"),
        Sample("KeyRequest", .post, "/v1/keys"),
        Sample("NotificationRequest", .post, "\(Self.app)/notifications"),
        Sample("PublicationRequest", .post, "\(Self.app)/topics/news/notifications"),
        Sample("TokenValidationRequest", .post, "\(Self.app)/token-validations"),
        Sample("TopicRequest", .put, "\(Self.app)/topics/news"),
        Sample(
            "TransitionRequest",
            .put,
            "\(Self.app)/activities/lesson/transitions/end",
            context: #""misfire":"run_late","#
        ),
    ]

    @Test("every number, text, array and map of a request has a limit in the document")
    func complete() {
        var limits = SchemaLimits()
        limits.visitRequests()
        #expect(limits.missing.subtracting(Self.unlimited).sorted() == [])
        #expect(Self.unlimited.subtracting(limits.missing).sorted() == [], "these have limits now")
    }

    @Test("every number in a query has a limit in the document")
    func queries() {
        let specification = OpenAPISpecification.shared
        for (operation, description) in specification.operations {
            let parameters = description["parameters"]?.elements.map { specification.resolve($0) } ?? []
            for parameter in parameters where parameter["schema"]?["type"]?.text == "integer" {
                let schema = parameter["schema"]
                let place: Comment = "\(operation.method) \(operation.path) \(parameter["name"]?.text ?? "")"
                #expect(schema?["minimum"]?.number != nil && schema?["maximum"]?.number != nil, place)
            }
        }
    }

    @Test("the API accepts the last value within a documented limit and refuses the next", arguments: Self.samples)
    func exact(sample: Sample) async throws {
        let schema = try #require(OpenAPISpecification.shared.schema(sample.schema))
        try await withAPI { api async throws in
            var count = 0
            for (name, member) in schema["properties"]?.members ?? [:] {
                let values = Self.values(of: OpenAPISpecification.shared.resolve(member))
                // No time zone has the longest name that the document allows.
                for value in values.allowed where name != "timeZone" {
                    let answer = try await api.call(sample.method, sample.path, sample.body(name, value))
                    #expect(!answer.fields.contains(name), "\(name): \(value.prefix(32)): \(answer.text)")
                }
                for value in values.refused {
                    let answer = try await api.call(sample.method, sample.path, sample.body(name, value))
                    #expect(answer.status == 422, "\(name): \(value.prefix(32))")
                    #expect(answer.fields.contains(name), "\(name): \(value.prefix(32)): \(answer.text)")
                }
                count += values.refused.count
            }
            #expect(count > 0)
        }
    }

    /// The values at the limits of a number or a text, and those just beyond, as JSON.
    private static func values(of schema: JSONValue) -> (allowed: [String], refused: [String]) {
        func limit(_ name: String) -> Int? { schema[name]?.number }
        switch schema["type"]?.text {
        case "integer", "number":
            let (lowest, highest) = (limit("minimum"), limit("maximum"))
            let beyond = [lowest.map { $0 - 1 }, highest.map { $0 + 1 }]
            return ([lowest, highest].compactMap(\.self).map(String.init), beyond.compactMap(\.self).map(String.init))
        case "string" where schema["format"] == nil && schema["pattern"] == nil:
            let (shortest, longest) = (limit("minLength"), limit("maxLength"))
            let beyond = [shortest.map { $0 - 1 }, longest.map { $0 + 1 }]
            return ([shortest, longest].compactMap(\.self).map(Self.text), beyond.compactMap(\.self).map(Self.text))
        default: return ([], [])
        }
    }

    private static func text(_ length: Int) -> String { "\"\(String(repeating: "a", count: length))\"" }
}
