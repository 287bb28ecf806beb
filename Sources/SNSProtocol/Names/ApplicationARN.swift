// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The ARN of a platform application: `arn:aws:sns:<region>:<account>:app/<platform>/<name>`.
public struct ApplicationARN: Hashable, Sendable, CustomStringConvertible {
    /// Region and account.
    public let scope: SNSScope
    /// The push service.
    public let platform: SNSPlatform
    /// The application's name.
    public let name: String

    /// The ARN of an application; `nil` unless the name can be one.
    public init?(scope: SNSScope, platform: SNSPlatform, name: String) {
        guard ResourceName.isApplication(name) else { return nil }
        self.scope = scope
        self.platform = platform
        self.name = name
    }

    /// Reads an ARN.
    ///
    /// - Parameters:
    ///   - text: the ARN.
    ///   - region: the region of the call.
    /// - Throws: ``SNSError`` `InvalidParameter`.
    public init(_ text: String, region: String?) throws(SNSError) {
        let parameter = "PlatformApplicationArn"
        let arn = try ARN(text, parameter: parameter, region: region)
        let parts = arn.resource.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3 else {
            throw .invalidParameter(parameter, reason: "Wrong number of slashes in relative portion of the ARN.")
        }
        guard parts[0] == "app", let platform = SNSPlatform(rawValue: parts[1]),
            let application = ApplicationARN(scope: arn.scope, platform: platform, name: parts[2])
        else { throw .invalidParameter(parameter) }
        self = application
    }

    /// The ARN as text.
    public var description: String {
        ARN(scope: self.scope, resource: "app/\(self.platform.rawValue)/\(self.name)").text
    }
}
