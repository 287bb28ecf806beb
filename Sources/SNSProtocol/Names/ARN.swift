// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The parts of an Amazon Resource Name of SNS: `arn:<partition>:sns:<region>:<account>:<resource>`.
struct ARN: Hashable, Sendable {
    let scope: SNSScope
    let resource: String

    /// Reads an ARN.
    ///
    /// Its region must be `region`, the region of the call, unless that is `nil`: the call is not signed.
    ///
    /// - Throws: ``SNSError`` `InvalidParameter`.
    init(_ text: String, parameter: String, region: String?) throws(SNSError) {
        let parts = text.parts(separatedBy: UInt8(ascii: ":"), maxSplits: 5)
        guard parts.count == 6 else {
            throw .invalidParameter(
                parameter,
                reason: "An ARN must have at least 6 elements, not \(parts.count)"
            )
        }
        guard parts[0] == "arn", parts[2] == "sns",
            let scope = SNSScope(region: String(parts[3]), account: String(parts[4])),
            parts[1] == scope.partition, region == nil || region == scope.region
        else { throw .invalidParameter(parameter) }
        self.scope = scope
        self.resource = String(parts[5])
    }

    init(scope: SNSScope, resource: String) {
        self.scope = scope
        self.resource = resource
    }

    var text: String { "arn:\(self.scope.partition):sns:\(self.scope.region):\(self.scope.account):\(self.resource)" }
}

/// Where resources live: a region, and an account in it.
package struct SNSScope: Hashable, Sendable {
    /// The region: `ap-northeast-1`.
    package let region: String
    /// The account: 12 digits.
    package let account: String

    /// A region and an account; `nil` unless both can be one.
    package init?(region: String, account: String) {
        guard Self.isRegion(region), Self.isAccount(account) else { return nil }
        self.region = region
        self.account = account
    }

    /// The partition that a region belongs to: `aws`, `aws-cn` or `aws-us-gov`.
    package var partition: String {
        if self.region.hasPrefix("cn-") { return "aws-cn" }
        return self.region.hasPrefix("us-gov-") ? "aws-us-gov" : "aws"
    }

    /// Whether a text can be a region's name: 1...64 lower-case letters, digits and dashes.
    package static func isRegion(_ text: some StringProtocol) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { ResourceName.isDigit($0) || (0x61...0x7A).contains($0) || $0 == 0x2D }
    }

    /// Whether a text can be an account: 12 digits.
    package static func isAccount(_ text: some StringProtocol) -> Bool {
        text.utf8.count == 12 && text.utf8.allSatisfy(ResourceName.isDigit)
    }
}

/// The ARN of a topic: `arn:aws:sns:<region>:<account>:<name>`.
package struct TopicARN: Hashable, Sendable, CustomStringConvertible {
    package let scope: SNSScope
    package let name: String

    /// The ARN of a topic; `nil` unless the name can be one.
    package init?(scope: SNSScope, name: String) {
        guard ResourceName.isTopic(name) else { return nil }
        self.scope = scope
        self.name = name
    }

    /// Reads an ARN.
    ///
    /// - Throws: ``SNSError`` `InvalidParameter`.
    package init(_ text: String, parameter: String = "TopicArn", region: String?) throws(SNSError) {
        try self.init(try ARN(text, parameter: parameter, region: region), parameter: parameter)
    }

    init(_ arn: ARN, parameter: String) throws(SNSError) {
        guard let topic = TopicARN(scope: arn.scope, name: arn.resource) else { throw .invalidParameter(parameter) }
        self = topic
    }

    /// Whether it is a FIFO topic: its name ends in `.fifo`.
    package var isFIFO: Bool { self.name.hasSuffix(ResourceName.fifoSuffix) }

    package var description: String { ARN(scope: self.scope, resource: self.name).text }
}

/// The ARN of a subscription: that of its topic, a colon, and its id.
package struct SubscriptionARN: Hashable, Sendable, CustomStringConvertible {
    package let topic: TopicARN
    /// The subscription's id: a UUID where SNS made it.
    package let id: String

    /// The ARN of a subscription; `nil` unless the id is 1...64 letters, digits, `_` and `-`.
    package init?(topic: TopicARN, id: String) {
        guard ResourceName.isIdentifier(id) else { return nil }
        self.topic = topic
        self.id = id
    }

    /// Reads an ARN.
    ///
    /// - Throws: ``SNSError`` `InvalidParameter`.
    package init(_ text: String, region: String?) throws(SNSError) {
        let parameter = "SubscriptionArn"
        guard !text.isEmpty else { throw .invalidParameter(parameter, reason: "no value for required parameter") }
        let arn = try ARN(text, parameter: parameter, region: region)
        let parts = arn.resource.parts(separatedBy: UInt8(ascii: ":")).map(String.init)
        guard parts.count == 2 else { throw .invalidParameter(parts.count == 1 ? "SubscriptionId" : parameter) }
        guard let topic = TopicARN(scope: arn.scope, name: parts[0]) else { throw .invalidParameter(parameter) }
        guard let subscription = SubscriptionARN(topic: topic, id: parts[1]) else {
            throw .invalidParameter("SubscriptionId")
        }
        self = subscription
    }

    package var description: String { "\(self.topic):\(self.id)" }
}

/// The ARN of a platform application: `arn:aws:sns:<region>:<account>:app/<platform>/<name>`.
package struct ApplicationARN: Hashable, Sendable, CustomStringConvertible {
    package let scope: SNSScope
    package let platform: SNSPlatform
    package let name: String

    /// The ARN of an application; `nil` unless the name can be one.
    package init?(scope: SNSScope, platform: SNSPlatform, name: String) {
        guard ResourceName.isApplication(name) else { return nil }
        self.scope = scope
        self.platform = platform
        self.name = name
    }

    /// Reads an ARN.
    ///
    /// - Throws: ``SNSError`` `InvalidParameter`.
    package init(_ text: String, region: String?) throws(SNSError) {
        let parameter = "PlatformApplicationArn"
        let arn = try ARN(text, parameter: parameter, region: region)
        let parts = arn.resource.parts(separatedBy: UInt8(ascii: "/")).map(String.init)
        guard parts.count == 3 else {
            throw .invalidParameter(parameter, reason: "Wrong number of slashes in relative portion of the ARN.")
        }
        guard parts[0] == "app", let platform = SNSPlatform(rawValue: parts[1]),
            let application = ApplicationARN(scope: arn.scope, platform: platform, name: parts[2])
        else { throw .invalidParameter(parameter) }
        self = application
    }

    /// The end of the ARN: `app/<platform>/<name>`.
    package var resource: String { "app/\(self.platform.rawValue)/\(self.name)" }

    package var description: String { ARN(scope: self.scope, resource: self.resource).text }
}

/// The ARN of a platform endpoint: `arn:aws:sns:<region>:<account>:endpoint/<platform>/<application>/<id>`.
package struct EndpointARN: Hashable, Sendable, CustomStringConvertible {
    package let application: ApplicationARN
    /// The endpoint's id: a UUID where SNS made it.
    package let id: String

    /// The ARN of an endpoint; `nil` unless the id is 1...192 letters, digits, `_` and `-`.
    package init?(application: ApplicationARN, id: String) {
        guard ResourceName.isEndpointIdentifier(id) else { return nil }
        self.application = application
        self.id = id
    }

    /// Reads an ARN.
    ///
    /// - Throws: ``SNSError`` `InvalidParameter`.
    package init(_ text: String, parameter: String = "EndpointArn", region: String?) throws(SNSError) {
        try self.init(try ARN(text, parameter: parameter, region: region), parameter: parameter)
    }

    init(_ arn: ARN, parameter: String) throws(SNSError) {
        let parts = arn.resource.parts(separatedBy: UInt8(ascii: "/")).map(String.init)
        guard parts.count == 4 else {
            throw .invalidParameter(parameter, reason: "Wrong number of slashes in relative portion of the ARN.")
        }
        guard parts[0] == "endpoint", let platform = SNSPlatform(rawValue: parts[1]),
            let application = ApplicationARN(scope: arn.scope, platform: platform, name: parts[2]),
            let endpoint = EndpointARN(application: application, id: parts[3])
        else { throw .invalidParameter(parameter) }
        self = endpoint
    }

    /// The end of the ARN: `endpoint/<platform>/<application>/<id>`.
    package var resource: String {
        "endpoint/\(self.application.platform.rawValue)/\(self.application.name)/\(self.id)"
    }

    package var description: String { ARN(scope: self.application.scope, resource: self.resource).text }
}

/// The rules of names of topics and applications.
package enum ResourceName {
    /// How many characters a name has.
    package static let sizes = 1...256

    /// The suffix of a FIFO topic's name.
    static let fifoSuffix = ".fifo"

    /// Checks the name of a new topic.
    ///
    /// - Throws: ``SNSError`` `InvalidParameter`, also where the suffix `.fifo` and the attribute do not agree.
    package static func checkTopic(_ name: String, isFIFO: Bool) throws(SNSError) {
        guard self.isTopic(name), name.hasSuffix(self.fifoSuffix) == isFIFO else {
            throw .invalidParameter("Topic Name")
        }
    }

    /// Whether a text can be a topic's name: 1...256 of `A-Za-z0-9_-`, with or without `.fifo` behind it.
    static func isTopic(_ name: String) -> Bool {
        let stem = name.hasSuffix(self.fifoSuffix) ? name.dropLast(self.fifoSuffix.count) : name[...]
        return self.sizes.contains(name.utf8.count) && !stem.isEmpty && stem.utf8.allSatisfy(self.isWordByte)
    }

    /// Validates the name of a new application: 1...256 of `A-Za-z0-9_.-`.
    ///
    /// - Throws: ``SNSError`` `InvalidParameter`, whose message has the name in the position of the parameter.
    package static func checkApplication(_ name: String) throws(SNSError) {
        guard !name.isEmpty else { throw .invalidParameter("", reason: "cannot be empty") }
        guard name.count <= self.sizes.upperBound else {
            throw .invalidParameter(name, reason: "must be at most 256 characters long")
        }
        guard self.isApplication(name) else {
            throw .invalidParameter(
                name,
                reason: "must contain only characters 'a'-'z', 'A'-'Z', '0'-'9', '_', '-', and '.'"
            )
        }
    }

    static func isApplication(_ name: String) -> Bool {
        self.sizes.contains(name.utf8.count)
            && name.utf8.allSatisfy { self.isWordByte($0) || $0 == UInt8(ascii: ".") }
    }

    /// Whether a text can be the id at the end of an ARN: 1...64 of `A-Za-z0-9_-`.
    static func isIdentifier(_ text: some StringProtocol) -> Bool {
        (1...64).contains(text.utf8.count) && text.utf8.allSatisfy(self.isWordByte)
    }

    /// Whether a text can be the id of an endpoint: 1...192 of `A-Za-z0-9_-`.
    package static func isEndpointIdentifier(_ text: some StringProtocol) -> Bool {
        (1...192).contains(text.utf8.count) && text.utf8.allSatisfy(self.isWordByte)
    }

    /// Whether a byte is a letter, a digit, `_` or `-`.
    static func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"),
            UInt8(ascii: "-"):
            true
        default: self.isDigit(byte)
        }
    }

    static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
