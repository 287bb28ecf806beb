// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import HTTPTypes
import Hummingbird

/// Why the control API refuses a request: a problem document (RFC 9457).
struct ControlProblem: Error {
    /// What is wrong; stable, for programs.
    enum Code: String, CaseIterable {
        case malformedJSON = "malformed-json"
        case wrongType = "wrong-type"
        case unknownField = "unknown-field"
        case missingField = "missing-field"
        case invalidValue = "invalid-value"
        case bodyTooLarge = "body-too-large"
        case notFound = "not-found"
        case methodNotAllowed = "method-not-allowed"
        case activityRefused = "activity-refused"
        case channelRefused = "channel-refused"
        case alreadyTaken = "already-taken"
        case internalError = "internal-error"

        var status: HTTPResponse.Status {
            switch self {
            case .malformedJSON, .wrongType, .unknownField, .missingField, .invalidValue: .badRequest
            case .bodyTooLarge: .contentTooLarge
            case .notFound: .notFound
            case .methodNotAllowed: .methodNotAllowed
            case .activityRefused, .channelRefused, .alreadyTaken: .conflict
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

    /// A field breaks a rule.
    init(_ code: Code, field: String, rule: String, value: String) {
        self.code = code
        self.detail = "\(field): expected \(rule), got \(value)"
        self.field = field
        self.rule = rule
        self.value = value
    }

    /// A value breaks a rule of Apple's.
    init(_ failure: ValidationFailure, field: String? = nil) {
        self.init(.invalidValue, field: field ?? failure.field, rule: failure.rule, value: failure.value)
    }

    /// A body has more bytes than are read.
    static func bodyTooLarge(_ maximum: Int) -> ControlProblem {
        ControlProblem(.bodyTooLarge, field: "body", rule: "at most \(maximum) bytes", value: "more")
    }

    /// There is no such thing.
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
