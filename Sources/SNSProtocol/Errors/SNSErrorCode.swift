// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The codes of SNS' error answers, by which clients choose their exception classes.
///
/// From SNS' service model and the common errors of AWS' query interfaces.
public enum SNSErrorCode: String, Hashable, Sendable, CaseIterable {
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
    /// More entries than a batch may have.
    case tooManyEntriesInBatchRequest = "TooManyEntriesInBatchRequest"
    /// Two entries of a batch have the same id.
    case batchEntryIdsNotDistinct = "BatchEntryIdsNotDistinct"
    /// The entries of a batch are too long together.
    case batchRequestTooLong = "BatchRequestTooLong"
    /// A batch without an entry.
    case emptyBatchRequest = "EmptyBatchRequest"
    /// An entry of a batch has an id that is none.
    case invalidBatchEntryId = "InvalidBatchEntryId"
    /// More topics than allowed.
    case topicLimitExceeded = "TopicLimitExceeded"
    /// More subscriptions than allowed.
    case subscriptionLimitExceeded = "SubscriptionLimitExceeded"
    /// More filter policies than allowed.
    case filterPolicyLimitExceeded = "FilterPolicyLimitExceeded"
    /// More tags than allowed.
    case tagLimitExceeded = "TagLimitExceeded"
    /// Somebody else changes the same thing.
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
    /// There is no such version of the interface.
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
    /// The body came too slowly.
    case requestTimeout = "RequestTimeout"

    /// The HTTP status of an answer with this code.
    public var status: Int {
        switch self {
        case .notFound, .resourceNotFound, .malformedQueryString: 404
        case .authorizationError, .invalidSecurity, .topicLimitExceeded, .subscriptionLimitExceeded,
            .filterPolicyLimitExceeded, .missingAuthenticationToken, .invalidClientTokenId, .signatureDoesNotMatch:
            403
        case .requestTimeout: 408
        case .requestEntityTooLarge: 413
        case .throttled: 429
        case .internalError: 500
        default: 400
        }
    }

    /// Whether the caller is at fault, and repeating the call is of no use.
    public var isSenderFault: Bool { self.status < 500 }
}
