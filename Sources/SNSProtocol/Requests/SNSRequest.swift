// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// One call with its parameters, read and checked as far as that is possible without a store.
package enum SNSRequest: Hashable, Sendable {
    case createTopic(CreateTopicRequest)
    case deleteTopic(TopicARN)
    case getTopicAttributes(TopicARN)
    case setTopicAttributes(TopicARN, SNSAttribute)
    case listTopics(nextToken: String?)
    case addPermission(AddPermissionRequest)
    case removePermission(TopicARN, label: String)
    case subscribe(SubscribeRequest)
    case confirmSubscription(ConfirmSubscriptionRequest)
    case unsubscribe(SubscriptionARN)
    case getSubscriptionAttributes(SubscriptionARN)
    /// `SetSubscriptionAttributes`; ``SubscriptionSettings`` says whether the value is allowed.
    case setSubscriptionAttributes(SubscriptionARN, SNSAttribute)
    case listSubscriptions(nextToken: String?)
    case listSubscriptionsByTopic(TopicARN, nextToken: String?)
    case createPlatformApplication(CreatePlatformApplicationRequest)
    case deletePlatformApplication(ApplicationARN)
    case getPlatformApplicationAttributes(ApplicationARN)
    case setPlatformApplicationAttributes(ApplicationARN, ApplicationAttributes)
    case listPlatformApplications(nextToken: String?)
    case createPlatformEndpoint(ApplicationARN, EndpointAttributes)
    case deleteEndpoint(EndpointARN)
    case getEndpointAttributes(EndpointARN)
    case setEndpointAttributes(EndpointARN, EndpointAttributes)
    case listEndpointsByPlatformApplication(ApplicationARN, nextToken: String?)
    case publish(PublishRequest)
    case publishBatch(PublishBatchRequest)
    case tagResource(TopicARN, [SNSTag])
    case untagResource(TopicARN, keys: [String])
    case listTagsForResource(TopicARN)
}

extension SNSRequest {
    /// Reads the parameters of an operation.
    ///
    /// - Throws: ``SNSError`` with the code and the sentence of SNS.
    init(_ action: SNSAction, _ parameters: ParameterReader, in context: SNSQueryRequest.Context) throws(SNSError) {
        var reader = parameters
        let region = context.region
        switch action {
        case .createTopic: self = .createTopic(try CreateTopicRequest(&reader, limits: context.limits))
        case .deleteTopic: self = .deleteTopic(try reader.topic(region))
        case .getTopicAttributes: self = .getTopicAttributes(try reader.topic(region))
        case .setTopicAttributes:
            let attribute = reader.attribute()
            self = .setTopicAttributes(try reader.topic(region), attribute)
        case .listTopics: self = .listTopics(nextToken: reader.nextToken)
        case .addPermission: self = .addPermission(try AddPermissionRequest(&reader, region: region))
        case .removePermission:
            let label = reader.required("Label")
            self = .removePermission(try reader.topic(region), label: label)
        case .tagResource:
            let tags = try reader.requiredTags(limits: context.limits)
            self = .tagResource(try reader.topic(region, parameter: "ResourceArn"), tags)
        case .untagResource:
            let keys = try reader.requiredList("TagKeys").compactMap(\.value)
            self = .untagResource(try reader.topic(region, parameter: "ResourceArn"), keys: keys)
        case .listTagsForResource:
            self = .listTagsForResource(try reader.topic(region, parameter: "ResourceArn"))
        case .publish: self = .publish(try PublishRequest(&reader, region: region))
        case .publishBatch: self = .publishBatch(try PublishBatchRequest(&reader, in: context))
        case .subscribe: self = .subscribe(try SubscribeRequest(&reader, in: context))
        case .confirmSubscription:
            self = .confirmSubscription(try ConfirmSubscriptionRequest(&reader, region: region))
        case .unsubscribe:
            // SNS reports an absent ARN like an empty one.
            self = .unsubscribe(try SubscriptionARN(reader.text("SubscriptionArn") ?? "", region: region))
        case .getSubscriptionAttributes: self = .getSubscriptionAttributes(try reader.subscription(region))
        case .setSubscriptionAttributes:
            let attribute = reader.attribute()
            self = .setSubscriptionAttributes(try reader.subscription(region), attribute)
        case .listSubscriptions: self = .listSubscriptions(nextToken: reader.nextToken)
        case .listSubscriptionsByTopic:
            self = .listSubscriptionsByTopic(try reader.topic(region), nextToken: reader.nextToken)
        default: self = try SNSRequest(platform: action, &reader, region: region)
        }
    }

    /// Reads the parameters of an operation on applications and endpoints.
    private init(platform action: SNSAction, _ reader: inout ParameterReader, region: String?) throws(SNSError) {
        switch action {
        case .createPlatformApplication:
            self = .createPlatformApplication(try CreatePlatformApplicationRequest(&reader))
        case .deletePlatformApplication: self = .deletePlatformApplication(try reader.application(region))
        case .getPlatformApplicationAttributes:
            self = .getPlatformApplicationAttributes(try reader.application(region))
        case .setPlatformApplicationAttributes:
            let values = try reader.requiredMap("Attributes")
            let application = try reader.application(region)
            self = .setPlatformApplicationAttributes(application, try ApplicationAttributes(values))
        case .listPlatformApplications: self = .listPlatformApplications(nextToken: reader.nextToken)
        case .createPlatformEndpoint:
            let token = reader.required("Token")
            let values = try reader.map("Attributes") ?? [:]
            let application = try reader.application(region)
            let attributes = try EndpointAttributes(
                values,
                token: token,
                customUserData: reader.text("CustomUserData")
            )
            self = .createPlatformEndpoint(application, attributes)
        case .deleteEndpoint: self = .deleteEndpoint(try reader.endpoint(region))
        case .getEndpointAttributes: self = .getEndpointAttributes(try reader.endpoint(region))
        case .setEndpointAttributes:
            let values = try reader.requiredMap("Attributes")
            let endpoint = try reader.endpoint(region)
            self = .setEndpointAttributes(endpoint, try EndpointAttributes(values))
        default:
            let application = try reader.application(region)
            self = .listEndpointsByPlatformApplication(application, nextToken: reader.nextToken)
        }
    }
}

/// Parameters of several operations. Readers of an ARN come last: they end the reading.
extension ParameterReader {
    /// `NextToken`, unless it is absent or empty.
    var nextToken: String? { self.text("NextToken").flatMap { $0.isEmpty ? nil : $0 } }

    /// `AttributeName` and `AttributeValue`; without a value the attribute is taken away.
    mutating func attribute() -> SNSAttribute {
        SNSAttribute(name: self.required("AttributeName"), value: self.text("AttributeValue") ?? "")
    }

    /// The ARN of a topic; ends the reading.
    mutating func topic(_ region: String?, parameter: String = "TopicArn") throws(SNSError) -> TopicARN {
        try self.arn(parameter) { (text) throws(SNSError) in try TopicARN(text, parameter: parameter, region: region) }
    }

    /// The ARN of a subscription; ends the reading.
    mutating func subscription(_ region: String?) throws(SNSError) -> SubscriptionARN {
        try self.arn("SubscriptionArn") { (text) throws(SNSError) in try SubscriptionARN(text, region: region) }
    }

    /// The ARN of an application; ends the reading.
    mutating func application(_ region: String?) throws(SNSError) -> ApplicationARN {
        try self.arn("PlatformApplicationArn") { (text) throws(SNSError) in try ApplicationARN(text, region: region) }
    }

    /// The ARN of an endpoint; ends the reading.
    mutating func endpoint(_ region: String?) throws(SNSError) -> EndpointARN {
        try self.arn("EndpointArn") { (text) throws(SNSError) in try EndpointARN(text, region: region) }
    }

    /// Reads an ARN and ends the reading.
    ///
    /// SNS reports an ARN that it cannot read before other parameters that are missing.
    private mutating func arn<Name>(
        _ parameter: String,
        _ read: (String) throws(SNSError) -> Name
    ) throws(SNSError) -> Name {
        let text = self.required(parameter)
        guard self.text(parameter) != nil else { throw .missing(self.missing) }
        let name = try read(text)
        try self.finish()
        return name
    }
}

/// The parameters of `CreatePlatformApplication`.
package struct CreatePlatformApplicationRequest: Hashable, Sendable {
    package let name: String
    package let platform: SNSPlatform
    package let attributes: ApplicationAttributes
    package let credential: PlatformCredential

    init(_ reader: inout ParameterReader) throws(SNSError) {
        self.name = reader.required("Name")
        let platform = reader.required("Platform")
        let values = try reader.requiredMap("Attributes")
        try reader.finish()
        try ResourceName.checkApplication(self.name)
        self.platform = try SNSPlatform(parameter: platform)
        self.attributes = try ApplicationAttributes(values)
        guard let credential = try self.attributes.credential() else { throw PlatformCredential.absent }
        self.credential = credential
    }
}
