// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// Where a subscription leads.
package enum SubscriptionTarget: Hashable, Sendable {
    /// An endpoint: a device.
    case endpoint(EndpointARN)
    /// A URL that is posted to: `http` or `https`.
    case url(String)

    /// Every protocol of SNS.
    private static let protocols: Set<String> = [
        "application", "email", "email-json", "firehose", "http", "https", "lambda", "sms", "sqs",
    ]

    /// The longest URL, in bytes.
    static let maximumURLSize = 2048

    /// Reads `Protocol` and `Endpoint`.
    ///
    /// - Throws: ``SNSError`` `InvalidParameter`, also for the protocols of SNS that lead nowhere here.
    init(protocol name: String, endpoint: String, region: String?) throws(SNSError) {
        guard Self.protocols.contains(name) else {
            throw .invalidParameter("Amazon SNS does not support this protocol string: \(name.cut)")
        }
        switch name {
        case "application":
            self = .endpoint(try EndpointARN(endpoint, parameter: "Endpoint", region: region))
        case "http", "https":
            guard Self.isURL(endpoint, scheme: name) else {
                throw .invalidParameter("Endpoint must match the specified protocol")
            }
            self = .url(endpoint)
        default:
            throw .invalidParameter(
                "Protocol",
                reason: "\(name) is not supported by this server; use application, http or https"
            )
        }
    }

    /// The protocol: `application`, `http` or `https`.
    package var protocolName: String {
        switch self {
        case .endpoint: "application"
        case .url(let text): text.lowercased().hasPrefix("https:") ? "https" : "http"
        }
    }

    /// The endpoint as answers give it: an ARN or a URL.
    package var text: String {
        switch self {
        case .endpoint(let arn): arn.description
        case .url(let text): text
        }
    }

    /// The error for an unknown endpoint; SNS has no space before the ARN.
    package static func unknownEndpoint(_ arn: EndpointARN) -> SNSError {
        .invalidParameter("Endpoint", reason: "Endpoint does not exist for endpoint arn\(arn)")
    }

    private static func isURL(_ text: String, scheme: String) -> Bool {
        guard text.utf8.count <= Self.maximumURLSize, text.lowercased().hasPrefix("\(scheme)://") else { return false }
        let authority = text.dropFirst(scheme.count + 3).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        let host = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        return !host.isEmpty && !host.hasPrefix(":") && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}

extension SubscriptionTarget: CustomStringConvertible, CustomDebugStringConvertible {
    /// The ARN, or scheme and host: name, password, path and query of a URL may be secrets.
    package var description: String {
        guard case .url(let text) = self else { return self.text }
        let authority = text.drop { $0 != "/" }.dropFirst(2).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        return "\(self.protocolName)://\(authority.split(separator: "@").last ?? "")"
    }

    package var debugDescription: String { self.description }
}
