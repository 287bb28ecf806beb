// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ApusTesting
import PushModel

extension FuzzWorld {
    /// A list of the API: its path within an app, the member with its elements, the member that names an element, and
    /// the paths below an element.
    private struct List {
        var path: String
        var member: String
        var name: String
        var below: [String] = []
    }

    private static let lists = [
        List(path: "devices", member: "devices", name: "device"),
        List(path: "campaigns", member: "campaigns", name: "id", below: ["/progress"]),
        List(path: "token-validations", member: "tokenValidations", name: "id"),
        List(
            path: "activities",
            member: "activities",
            name: "id",
            below: ["?include=participantCounts", "/participants", "/timeline", "/transitions"]
        ),
        List(path: "activity-types", member: "types", name: "name"),
        List(path: "channels", member: "channels", name: "name", below: ["?verify=true"]),
        List(path: "jobs", member: "jobs", name: "id", below: ["/runs"]),
        List(path: "topics", member: "topics", name: "name", below: ["/subscriptions"]),
        List(path: "subscriptions", member: "subscriptions", name: "id"),
        List(path: "webhooks", member: "webhooks", name: "id", below: ["/deliveries"]),
        List(path: "events", member: "events", name: ""),
        List(path: "credentials", member: "credentials", name: ""),
        List(path: "delivery", member: "", name: ""),
        List(path: "devices:export", member: "", name: ""),
        List(path: "devices:export?format=csv", member: "", name: ""),
    ]

    /// How many elements of a list are read by themselves.
    private static let maximumElements = 8

    private static let maximumPages = 20

    /// Reads all lists of the app, and some elements of each.
    ///
    /// - Returns: why responses are wrong; empty if they all have the status 200 and match the document.
    func readAll() async throws -> [String] {
        let app = "/v1/apps/\(TestAPI.app)"
        var faults: [String] = []
        for path in ["/v1/apps", "/v1/keys", "/v1/quarantine", app] { faults += try await self.read(path).faults }
        for list in Self.lists {
            let (listFaults, elements) = try await self.readPages("\(app)/\(list.path)", member: list.member)
            faults += listFaults
            let names = list.name.isEmpty ? [] : elements.compactMap { $0[list.name]?.text }
            for name in names.suffix(Self.maximumElements) {
                let path = "\(app)/\(list.path)/\(FuzzedText.escape(name))"
                for end in [""] + list.below { faults += try await self.read(path + end).faults }
            }
        }
        return faults
    }

    private func readPages(_ path: String, member: String) async throws -> (faults: [String], elements: [JSONValue]) {
        var elements: [JSONValue] = []
        var cursor: String?
        for _ in 0..<Self.maximumPages {
            let end = cursor.map { "?cursor=\(FuzzedText.escape($0))" } ?? ""
            let (faults, answer) = try await self.read(path + end)
            guard faults.isEmpty else { return (faults, elements) }
            elements += answer.json[member]?.elements ?? []
            cursor = answer.json["nextCursor"]?.text
            if cursor == nil { break }
        }
        return ([], elements)
    }

    private func read(_ path: String) async throws -> (faults: [String], answer: Answer) {
        let answer = try await self.get(path)
        var faults = OpenAPISpecification.shared.faults(of: answer, to: "GET", path: path)
        if answer.status != 200 { faults.append("the status is \(answer.status)") }
        guard !faults.isEmpty else { return ([], answer) }
        let list = faults.prefix(5).joined(separator: "; ")
        return (["GET \(path): \(list); the response is: \(answer.text.prefix(500))"], answer)
    }
}
