// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import HTTPTypes
import Hummingbird

/// Why the control API refuses a request: a problem document (RFC 9457).
struct ControlProblem: Error {
    /// The problem type; stable, for programs.
    enum Code: String, CaseIterable {
        case malformedJSON = "malformed-json"
        case wrongType = "wrong-type"
        case unknownField = "unknown-field"
        case missingField = "missing-field"
        case invalidValue = "invalid-value"
        case bodyTooLarge = "body-too-large"
        case unsupportedMediaType = "unsupported-media-type"
        case foreignHost = "foreign-host"
        case foreignOrigin = "foreign-origin"
        case notFound = "not-found"
        case methodNotAllowed = "method-not-allowed"
        case activityRefused = "activity-refused"
        case channelRefused = "channel-refused"
        case alreadyTaken = "already-taken"
        case notActivated = "not-activated"
        case internalError = "internal-error"

        var status: HTTPResponse.Status {
            switch self {
            case .malformedJSON, .wrongType, .unknownField, .missingField, .invalidValue: .badRequest
            case .bodyTooLarge: .contentTooLarge
            case .unsupportedMediaType: .unsupportedMediaType
            case .foreignHost: .misdirectedRequest
            case .foreignOrigin: .forbidden
            case .notFound: .notFound
            case .methodNotAllowed: .methodNotAllowed
            case .activityRefused, .channelRefused, .alreadyTaken, .notActivated: .conflict
            case .internalError: .internalServerError
            }
        }
    }

    var code: Code
    var detail: String
    var field: String?
    var rule: String?
    var value: String?
    /// The methods that the path knows, where the request had another one.
    var allow: [String] = []

    init(_ code: Code, detail: String) {
        self.code = code
        self.detail = detail
    }

    init(_ code: Code, field: String, rule: String, value: String) {
        self.code = code
        self.detail = "\(field): expected \(rule), got \(value)"
        self.field = field
        self.rule = rule
        self.value = value
    }

    /// A value breaks a rule of Apple's.
    init(_ failure: InvalidValueError, field: String? = nil) {
        self.init(.invalidValue, field: field ?? failure.field, rule: failure.rule, value: failure.value)
    }

    static func bodyTooLarge(_ maximum: Int) -> ControlProblem {
        ControlProblem(.bodyTooLarge, field: "body", rule: "at most \(maximum) bytes", value: "more")
    }

    static func notFound(_ what: String) -> ControlProblem {
        ControlProblem(.notFound, detail: "there is no \(what)")
    }
}

extension ControlProblem: HTTPResponseError {
    var status: HTTPResponse.Status { self.code.status }

    func response(from request: Request, context: some RequestContext) throws -> Response {
        var members: [(String, JSONOutput)] = [
            ("type", .string("about:blank")),
            ("title", .string(self.status.reasonPhrase)),
            ("status", .integer(self.status.code)),
            ("code", .string(self.code.rawValue)),
            ("detail", .string(self.detail)),
        ]
        if let field = self.field { members.append(("field", .string(field))) }
        if let rule = self.rule { members.append(("rule", .string(rule))) }
        if let value = self.value { members.append(("value", .string(value))) }
        var headers: HTTPFields = [.contentType: "application/problem+json"]
        if !self.allow.isEmpty { headers[.allow] = self.allow.joined(separator: ", ") }
        return Response(
            status: self.status,
            headers: headers,
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: JSONOutput.object(members).bytes))
        )
    }
}

/// Problems of a snapshot document.
extension ControlProblem {
    /// A document cannot be restored: the path of the invalid member and the expected value.
    init(snapshot error: APNsSimulatorError) {
        switch error.cause {
        case let fault as SnapshotError:
            self.init(.invalidValue, field: fault.path, rule: fault.rule, value: "something else")
        case let fault as DecodingError: self.init(decoding: fault)
        default: self.init(.invalidValue, field: "version", rule: "a snapshot of this simulator", value: error.message)
        }
    }

    private init(decoding error: DecodingError) {
        switch error {
        case .keyNotFound(let key, let context):
            let field = Self.path(context.codingPath + [key])
            self.init(.missingField, field: field, rule: "to be present", value: "nothing")
        case .valueNotFound(_, let context):
            self.init(.wrongType, field: Self.path(context.codingPath), rule: "a value", value: "null")
        case .typeMismatch(_, let context):
            let rule = "a value of the member's type in a snapshot"
            self.init(.wrongType, field: Self.path(context.codingPath), rule: rule, value: "another type")
        case .dataCorrupted(let context):
            guard !context.codingPath.isEmpty else {
                self.init(.malformedJSON, field: "body", rule: "JSON (RFC 8259)", value: "something else")
                return
            }
            let rule = "a valid value of a snapshot"
            self.init(.invalidValue, field: Self.path(context.codingPath), rule: rule, value: "something else")
        @unknown default: self.init(.invalidValue, field: "body", rule: "a snapshot", value: "something else")
        }
    }

    private static func path(_ keys: [any CodingKey]) -> String {
        var path = ""
        for key in keys {
            if let index = key.intValue {
                path += "[\(index)]"
            } else {
                path += (path.isEmpty ? "" : ".") + key.stringValue
            }
        }
        return path.isEmpty ? "body" : path
    }
}
