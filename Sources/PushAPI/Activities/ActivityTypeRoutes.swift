// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import HTTPTypes
import Hummingbird
import JSONSchema
import PushModel
import PushStore

/// The operations on the schemas of Live Activities: `/v1/apps/{app}/activity-types`.
struct ActivityTypeRoutes: APIRoutes {
    let store: any ActivityTypeStore & AppStore
    let bodyLimit: Int
    let now: @Sendable () -> Date

    var routes: [APIRoute] {
        let list = "/v1/apps/{app}/activity-types"
        let single = "\(list)/{attributesType}"
        let readers: [Scope] = [.activities, .read]
        return [
            APIRoute(.get, list, .scopes(readers), self.list),
            APIRoute(.put, single, .scopes([.activities]), self.keep),
            APIRoute(.get, single, .scopes(readers), self.show),
            APIRoute(.delete, single, .scopes([.activities]), self.delete),
        ]
    }

    private func list(_ call: AuthorizedRequest) async throws -> Response {
        _ = try call.query()
        let app = try await call.requireApp()
        let types = try await self.store.activityTypes(of: app.id)
        return try .json(ActivityTypeListResponse(types: try types.map { try ActivityTypeResponse($0) }))
    }

    private func keep(_ call: AuthorizedRequest) async throws -> Response {
        _ = try call.query()
        let name = try call.attributesType()
        let request = try ActivityTypeRequest(try await call.body(upTo: self.bodyLimit))
        let app = try await call.requireApp()
        let known: ActivityType?
        do {
            known = try await self.store.activityType(name, of: app.id)
        } catch let error as StoreError where error.code == .corrupt {
            // A damaged type is replaced like one that was never registered.
            known = nil
        }
        if known == nil, try await self.store.activityTypes(of: app.id).count >= ActivityType.maximumPerApp {
            throw Problem(
                .activityLimitExceeded,
                "The app has \(ActivityType.maximumPerApp) types, which is the maximum."
            )
        }
        let now = Date(millisecondsSince1970: self.now().millisecondsSince1970)
        let type = ActivityType(
            app: app.id,
            name: name,
            contentState: request.contentState,
            attributes: request.attributes,
            createdAt: known?.createdAt ?? now,
            updatedAt: now
        )
        let isNew = try await self.store.keep(type)
        return try .json(try ActivityTypeResponse(type), status: isNew ? .created : .ok)
    }

    private func show(_ call: AuthorizedRequest) async throws -> Response {
        _ = try call.query()
        let name = try call.attributesType()
        let app = try await call.requireApp()
        guard let type = try await self.store.activityType(name, of: app.id) else { throw Problem.unknownType }
        return try .json(try ActivityTypeResponse(type))
    }

    private func delete(_ call: AuthorizedRequest) async throws -> Response {
        _ = try call.query()
        let name = try call.attributesType()
        let app = try await call.requireApp()
        guard try await self.store.deleteActivityType(name, of: app.id) else { throw Problem.unknownType }
        return Response(status: .noContent)
    }
}

extension AuthorizedRequest {
    /// The attributes type in the path.
    func attributesType() throws(Problem) -> AttributesType {
        if let type = self.parameter("attributesType").flatMap(AttributesType.init(rawValue:)) { return type }
        throw Problem(
            .invalidRequest,
            at: .parameter("attributesType"),
            expected: AttributesType.rule,
            got: "another text"
        )
    }
}

extension Problem {
    static var unknownType: Problem {
        Problem(.activityTypeNotFound, "The app has registered no type of the name in the path.")
    }
}

/// A type of Live Activities that is to be registered.
struct ActivityTypeRequest: Sendable {
    static let members = ["contentState", "attributes"]
    var contentState: JSONSchema?
    var attributes: JSONSchema?
}

extension ActivityTypeRequest {
    init(_ body: [UInt8]) throws(Problem) {
        var contentState: JSONSchema?
        var attributes: JSONSchema?
        self = try JSONReader.read(body, members: Self.members) { reader, member, path throws(JSONSyntaxError) in
            if member == "contentState" {
                contentState = try Self.schema(&reader, path)
            } else {
                attributes = try Self.schema(&reader, path)
            }
        } finish: { _ in
            ActivityTypeRequest(contentState: contentState, attributes: attributes)
        }
    }

    private static func schema(_ reader: inout JSONReader, _ path: FieldPath) throws(JSONSyntaxError) -> JSONSchema? {
        guard let bytes = try reader.rawObject(path) else { return nil }
        do {
            return try JSONSchema(json: bytes)
        } catch {
            for fault in error.faults {
                let place = fault.field.isEmpty ? path : path.member(fault.field)
                reader.faults.add(place, expected: fault.rule, got: fault.value)
            }
            return nil
        }
    }
}

/// A registered type of Live Activities, as returned by the API.
struct ActivityTypeResponse: Encodable {
    let app: String
    let name: String
    let contentState: JSONValue?
    let attributes: JSONValue?
    let createdAt: Date
    let updatedAt: Date

    init(_ type: ActivityType) throws {
        self.app = type.app.rawValue
        self.name = type.name.rawValue
        self.contentState = try type.contentState.map { try JSONValue(json: $0.bytes) }
        self.attributes = try type.attributes.map { try JSONValue(json: $0.bytes) }
        self.createdAt = type.createdAt
        self.updatedAt = type.updatedAt
    }
}

/// The types of an app, as returned by the API.
struct ActivityTypeListResponse: Encodable {
    let types: [ActivityTypeResponse]
}

extension ActivityTypeStore {
    /// Returns the registered type of an activity; does not query it for a request without content.
    func activityType(of draft: ActivityParser, app: AppID) async throws -> ActivityType? {
        guard let name = draft.attributesType, draft.hasContent else { return nil }
        return try await self.activityType(name, of: app)
    }
}
