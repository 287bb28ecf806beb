// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// Why a call is refused: a code for programs, and a sentence that some of them parse as well.
///
/// No secret and no whole device token ever stands in the sentence.
public struct SNSError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What clients choose their exception by.
    public var code: SNSErrorCode
    /// The sentence, as SNS writes it where its wording is known.
    public var message: String

    /// An error of this code with this sentence.
    public init(_ code: SNSErrorCode, _ message: String) {
        self.code = code
        self.message = message
    }

    /// `Invalid parameter: <text>`.
    public static func invalidParameter(_ text: String) -> SNSError {
        SNSError(.invalidParameter, "Invalid parameter: \(text)")
    }

    /// `Invalid parameter: <name> Reason: <reason>`.
    public static func invalidParameter(_ name: String, reason: String) -> SNSError {
        .invalidParameter("\(name) Reason: \(reason)")
    }

    /// Values that have to be there and are not, by the paths that SNS gives them: `attributes`, `topicArn`.
    ///
    /// - Parameter paths: one or more.
    /// - Returns: the one error for all of them.
    public static func missing(_ paths: [String]) -> SNSError {
        let findings = paths.map { "Value null at '\($0)' failed to satisfy constraint: Member must not be null" }
        let noun = paths.count == 1 ? "error" : "errors"
        let count = "\(paths.count) validation \(noun) detected: "
        return SNSError(.validationError, count + findings.joined(separator: "; "))
    }

    /// Code and sentence.
    public var description: String { "\(self.code.rawValue): \(self.message)" }
}

extension StringProtocol {
    /// The text for an error: at most 80 characters of it.
    var cut: String { self.count <= 80 ? String(self) : "\(self.prefix(77))..." }
}
