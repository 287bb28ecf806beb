// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// Why a call failed: a code for programs, and a message, which some of them parse as well.
///
/// The message never contains a secret or a complete device token.
package struct SNSError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The code that clients map to an exception.
    package var code: SNSErrorCode
    /// The sentence, as SNS writes it where its wording is known.
    package var message: String

    package init(_ code: SNSErrorCode, _ message: String) {
        self.code = code
        self.message = message
    }

    package static func invalidParameter(_ text: String) -> SNSError {
        SNSError(.invalidParameter, "Invalid parameter: \(text)")
    }

    package static func invalidParameter(_ name: String, reason: String) -> SNSError {
        .invalidParameter("\(name) Reason: \(reason)")
    }

    /// Values that have to be there and are not, by the paths that SNS gives them: `attributes`, `topicArn`.
    ///
    /// - Returns: the one error for all of them.
    package static func missing(_ paths: [String]) -> SNSError {
        let findings = paths.map { "Value null at '\($0)' failed to satisfy constraint: Member must not be null" }
        let noun = paths.count == 1 ? "error" : "errors"
        let count = "\(paths.count) validation \(noun) detected: "
        return SNSError(.validationError, count + findings.joined(separator: "; "))
    }

    package var description: String { "\(self.code.rawValue): \(self.message)" }
}

extension StringProtocol {
    /// The text for an error: at most 80 characters of it.
    var cut: String { self.shortened(to: 80) }
}

/// The codes of SNS error responses, which clients map to exception classes.
///
/// From SNS' service model and the common errors of AWS' query interfaces.
package enum SNSErrorCode: String, Hashable, Sendable, CaseIterable {
    /// A parameter breaks a rule.
    case invalidParameter = "InvalidParameter"
    /// A message attribute breaks a rule.
    case parameterValueInvalid = "ParameterValueInvalid"
    /// A required value is absent.
    case validationError = "ValidationError"
    /// A topic, subscription, application or endpoint is not there.
    case notFound = "NotFound"
    /// The resource of a tag operation is not there.
    case resourceNotFound = "ResourceNotFound"
    /// The key may not do this.
    case authorizationError = "AuthorizationError"
    /// The request is not safe enough.
    case invalidSecurity = "InvalidSecurity"
    /// The endpoint does not take messages until it is enabled again.
    case endpointDisabled = "EndpointDisabled"
    /// The application does not take messages until it is enabled again.
    case platformApplicationDisabled = "PlatformApplicationDisabled"
    case tooManyEntriesInBatchRequest = "TooManyEntriesInBatchRequest"
    case batchEntryIdsNotDistinct = "BatchEntryIdsNotDistinct"
    /// The entries of a batch are too long together.
    case batchRequestTooLong = "BatchRequestTooLong"
    /// A batch without an entry.
    case emptyBatchRequest = "EmptyBatchRequest"
    /// An entry of a batch has an id that is none.
    case invalidBatchEntryId = "InvalidBatchEntryId"
    case topicLimitExceeded = "TopicLimitExceeded"
    case subscriptionLimitExceeded = "SubscriptionLimitExceeded"
    case filterPolicyLimitExceeded = "FilterPolicyLimitExceeded"
    case tagLimitExceeded = "TagLimitExceeded"
    /// A concurrent request changes the same resource.
    case concurrentAccess = "ConcurrentAccess"
    /// The thing is in a state that does not allow it.
    case invalidState = "InvalidState"
    /// Too many requests.
    case throttled = "Throttled"
    /// The server's own fault.
    case internalError = "InternalError"
    /// There is no such operation.
    case invalidAction = "InvalidAction"
    /// The request names no operation.
    case missingAction = "MissingAction"
    case noSuchVersion = "NoSuchVersion"
    /// The form or the query cannot be read.
    case malformedQueryString = "MalformedQueryString"
    /// The request is not signed.
    case missingAuthenticationToken = "MissingAuthenticationToken"
    /// The signature cannot be read.
    case incompleteSignature = "IncompleteSignature"
    /// The key, or its session, is unknown.
    case invalidClientTokenId = "InvalidClientTokenId"
    /// The signature is not that of this request.
    case signatureDoesNotMatch = "SignatureDoesNotMatch"
    /// The body is longer than any request may be.
    case requestEntityTooLarge = "RequestEntityTooLarge"

    /// The HTTP status of an answer with this code.
    package var status: Int {
        switch self {
        case .notFound, .resourceNotFound, .malformedQueryString: 404
        case .authorizationError, .invalidSecurity, .topicLimitExceeded, .subscriptionLimitExceeded,
            .filterPolicyLimitExceeded, .missingAuthenticationToken, .invalidClientTokenId, .signatureDoesNotMatch:
            403
        case .requestEntityTooLarge: 413
        case .throttled: 429
        case .internalError: 500
        default: 400
        }
    }

    /// Whether the caller is at fault, and repeating the call is of no use.
    package var isSenderFault: Bool { self.status < 500 }
}
