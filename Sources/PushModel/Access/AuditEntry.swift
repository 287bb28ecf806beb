// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
public import Foundation

/// Who makes a change, from where and when.
///
/// The caller of a store binds ``current`` around its calls. The store writes it into the audit log in the transaction of
/// the change. Without it, the change is the server's own.
public struct AuditOrigin: Hashable, Sendable {
    @TaskLocal public static var current: AuditOrigin?

    public let actor: AuditActor

    /// The IP address of the client; `nil` if the change did not come over the network.
    public let address: String?

    public let time: Date

    public init(actor: AuditActor, address: String? = nil, time: Date) {
        self.actor = actor
        self.address = address
        self.time = time
    }

    /// Runs an operation whose changes have an origin; without one, the operation runs as it is.
    public static func binding<Value>(
        _ origin: AuditOrigin?,
        isolation: isolated (any Actor)? = #isolation,
        _ operation: () async throws -> Value
    ) async rethrows -> Value {
        guard let origin else { return try await operation() }
        return try await Self.$current.withValue(origin, operation: operation)
    }
}

/// Who makes a change.
public enum AuditActor: Hashable, Sendable {
    /// A caller with an API key.
    case apiKey(APIKeyID, name: String)

    /// A browser that signed in to the console with an API key.
    case consoleSession(APIKeyID, name: String)

    /// A command that opened the store on the machine of the server, run by a user of that machine.
    case commandLine(user: String)

    /// A process of Apus, without a caller.
    case server

    /// The kind of an actor, as the API and the store name it.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        case apiKey = "api_key"
        case consoleSession = "console_session"
        case commandLine = "command_line"
        case server
    }

    public var kind: Kind {
        switch self {
        case .apiKey: .apiKey
        case .consoleSession: .consoleSession
        case .commandLine: .commandLine
        case .server: .server
        }
    }

    /// The ID of the API key, or the name of the user; `nil` for the server.
    public var id: String? {
        switch self {
        case .apiKey(let id, _), .consoleSession(let id, _): id.rawValue
        case .commandLine(let user): user
        case .server: nil
        }
    }

    /// The name of the API key at the time of the change.
    public var name: String? {
        switch self {
        case .apiKey(_, let name), .consoleSession(_, let name): name
        case .commandLine, .server: nil
        }
    }
}

/// The kinds of resources whose changes are in the audit log.
public enum AuditResource: String, Hashable, Sendable, CaseIterable {
    case app
    case credential
    case apiKey = "api_key"
    case webhook
    case topic
    case subscription
    case campaign
    case job
    case channel
    case activityType = "activity_type"
    case platformApplication = "platform_application"
    case quarantinedItem = "quarantined_item"
    case device
    case masterKey = "master_key"
}

/// What was done to a resource.
public enum AuditVerb: String, Hashable, Sendable, CaseIterable {
    case created, updated, deleted, revoked, rotated, paused, resumed, cancelled, triggered, repeated, reset
}

/// A kind of change, named `resource.verb` as events are: `api_key.created`.
public struct AuditAction: Hashable, Sendable, CustomStringConvertible {
    public let resource: AuditResource
    public let verb: AuditVerb

    public init(_ resource: AuditResource, _ verb: AuditVerb) {
        self.resource = resource
        self.verb = verb
    }

    public init?(_ description: String) {
        let parts = description.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let resource = AuditResource(rawValue: String(parts[0])),
            let verb = AuditVerb(rawValue: String(parts[1]))
        else { return nil }
        self.init(resource, verb)
    }

    public var description: String { "\(self.resource.rawValue).\(self.verb.rawValue)" }
}

/// One change of the configuration or of rights.
public struct AuditEntry: Hashable, Sendable {
    /// Identifies the entry; later entries have higher numbers.
    public let number: Int64

    public let origin: AuditOrigin
    public let action: AuditAction

    /// The ID of the resource.
    public let id: String

    /// The app of the resource; `nil` if it belongs to no app or to all apps.
    public let app: AppID?

    /// The resource before the change, without secrets; `nil` if it did not exist, or the action says everything.
    public let before: JSONValue?

    /// The resource after the change, without secrets; `nil` if it no longer exists, or the action says everything.
    public let after: JSONValue?

    public init(
        number: Int64,
        origin: AuditOrigin,
        action: AuditAction,
        id: String,
        app: AppID?,
        before: JSONValue?,
        after: JSONValue?
    ) {
        self.number = number
        self.origin = origin
        self.action = action
        self.id = id
        self.app = app
        self.before = before
        self.after = after
    }
}

/// Selects entries of the audit log; every condition that is not `nil` must hold.
public struct AuditFilter: Hashable, Sendable {
    public var app: AppID?

    /// The ID of an API key, or the name of a user of the machine.
    public var actor: String?

    public var resource: AuditResource?
    public var verb: AuditVerb?

    /// The ID of the resource.
    public var id: String?

    /// The first instant.
    public var from: Date?

    /// The instant after the last one.
    public var until: Date?

    public init() {}
}
