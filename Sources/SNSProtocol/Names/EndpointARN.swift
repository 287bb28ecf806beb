// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The ARN of a platform endpoint: `arn:aws:sns:<region>:<account>:endpoint/<platform>/<application>/<id>`.
public struct EndpointARN: Hashable, Sendable, CustomStringConvertible {
    /// The application.
    public let application: ApplicationARN
    /// The endpoint's id: a UUID where SNS made it.
    public let id: String

    /// The ARN of an endpoint; `nil` unless the id is 1...192 letters, digits, `_` and `-`.
    public init?(application: ApplicationARN, id: String) {
        guard ResourceName.isEndpointIdentifier(id) else { return nil }
        self.application = application
        self.id = id
    }

    /// Reads an ARN.
    ///
    /// - Parameters:
    ///   - text: the ARN.
    ///   - parameter: where it stands, for an error.
    ///   - region: the region of the call.
    /// - Throws: ``SNSError`` `InvalidParameter`.
    public init(_ text: String, parameter: String = "EndpointArn", region: String?) throws(SNSError) {
        let arn = try ARN(text, parameter: parameter, region: region)
        let parts = arn.resource.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 4 else {
            throw .invalidParameter(parameter, reason: "Wrong number of slashes in relative portion of the ARN.")
        }
        guard parts[0] == "endpoint", let platform = SNSPlatform(rawValue: parts[1]),
            let application = ApplicationARN(scope: arn.scope, platform: platform, name: parts[2]),
            let endpoint = EndpointARN(application: application, id: parts[3])
        else { throw .invalidParameter(parameter) }
        self = endpoint
    }

    /// The ARN as text.
    public var description: String {
        let application = self.application
        let resource = "endpoint/\(application.platform.rawValue)/\(application.name)/\(self.id)"
        return ARN(scope: application.scope, resource: resource).text
    }
}
