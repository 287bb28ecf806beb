// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import Testing

@testable import SNSProtocol

/// Calls in a region, from the fields of a form.
enum TestCall {
    static let region = "ap-northeast-1"
    static let topic = "arn:aws:sns:ap-northeast-1:123456789012:news"
    static let application = "arn:aws:sns:ap-northeast-1:123456789012:app/APNS/watchme"
    static let endpoint = "arn:aws:sns:ap-northeast-1:123456789012:endpoint/APNS/watchme/0f9e8d7c-1"
    static let subscription = "\(Self.topic):8a21d249-4329-4871-acc6-7be709c6ea7f"

    /// Reads a call: the action, and fields as they stand before they are encoded.
    static func read(
        _ action: String,
        _ fields: [String: String] = [:],
        limits: SNSLimits = .sns
    ) throws -> SNSRequest {
        let pairs = fields.merging(["Action": action, "Version": "2010-03-31"]) { own, _ in own }
        return try Self.read(form: pairs.map { "\(Self.encode($0))=\(Self.encode($1))" }.joined(separator: "&"), limits)
            .request
    }

    /// Reads a form.
    static func read(form: String, _ limits: SNSLimits = .sns) throws -> SNSQueryRequest {
        try SNSQueryRequest(
            FormFields(Array(form.utf8), source: .body),
            in: SNSQueryRequest.Context(region: Self.region, limits: limits)
        )
    }

    /// The error of a call, or `nil`.
    static func error(_ action: String, _ fields: [String: String] = [:], limits: SNSLimits = .sns) -> SNSError? {
        Self.error { _ = try Self.read(action, fields, limits: limits) }
    }

    /// The error that SNS would answer, or `nil`.
    static func error(_ body: () throws -> Void) -> SNSError? {
        do {
            try body()
            return nil
        } catch {
            return error as? SNSError
        }
    }

    private static func encode(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }
}
