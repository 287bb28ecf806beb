// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import PushStore
import SNSProtocol

/// Executes the actions of signed requests.
struct SNSRequestHandler: Sendable {
    let applications: SNSPlatformApplicationHandler
    let endpoints: SNSPlatformEndpointHandler
    let publishing: SNSPublishHandler
    let topics: SNSTopicHandler
    let subscriptions: SNSSubscriptionHandler

    /// Executes an action.
    ///
    /// - Throws: `SNSError` with the code and the message of SNS, and the errors of the store.
    func carryOut(_ call: SNSQueryRequest, of caller: SNSPrincipal) async throws -> SNSResult {
        switch call.request {
        case .createPlatformApplication(let request): return try await self.applications.create(request, caller)
        case .deletePlatformApplication(let arn): return try await self.applications.delete(arn, caller)
        case .getPlatformApplicationAttributes(let arn): return try await self.applications.attributes(arn, caller)
        case .setPlatformApplicationAttributes(let arn, let attributes):
            return try await self.applications.set(attributes, of: arn, caller)
        case .listPlatformApplications(let token): return try await self.applications.list(after: token, caller)
        case .createPlatformEndpoint(let arn, let attributes):
            return try await self.endpoints.create(attributes, of: arn, caller)
        case .deleteEndpoint(let arn): return try await self.endpoints.delete(arn, caller)
        case .getEndpointAttributes(let arn): return try await self.endpoints.attributes(arn, caller)
        case .setEndpointAttributes(let arn, let attributes):
            return try await self.endpoints.set(attributes, of: arn, caller)
        case .listEndpointsByPlatformApplication(let arn, let token):
            return try await self.endpoints.list(arn, after: token, caller)
        case .publish(let request): return try await self.publishing.publish(request, caller)
        case .publishBatch(let request): return try await self.publishing.publish(request, caller)
        default: return try await self.carryOutOnTopics(call, of: caller)
        }
    }

    /// Executes an unsigned action: the links in a message, which its recipient can open.
    ///
    /// - Throws: `SNSError` `MissingAuthenticationToken` for all other actions.
    func carryOutUnsigned(_ call: SNSQueryRequest) async throws -> SNSResult {
        switch call.request {
        case .confirmSubscription(let request): return try await self.subscriptions.confirm(request, nil)
        case .unsubscribe(let arn): return try await self.subscriptions.unsubscribe(unsigned: arn)
        default: throw SignatureVerifier.unsigned
        }
    }

    private func carryOutOnTopics(_ call: SNSQueryRequest, of caller: SNSPrincipal) async throws -> SNSResult {
        switch call.request {
        case .createTopic(let request): return try await self.topics.create(request, caller)
        case .deleteTopic(let arn): return try await self.topics.delete(arn, caller)
        case .getTopicAttributes(let arn): return try await self.topics.attributes(arn, caller)
        case .setTopicAttributes(let arn, let attribute): return try await self.topics.set(attribute, of: arn, caller)
        case .listTopics(let token): return try await self.topics.list(after: token, caller)
        case .tagResource(let arn, let tags): return try await self.topics.tag(arn, tags, caller)
        case .untagResource(let arn, let keys): return try await self.topics.untag(arn, keys, caller)
        case .listTagsForResource(let arn): return try await self.topics.tags(arn, caller)
        case .subscribe(let request): return try await self.subscriptions.subscribe(request, caller)
        case .unsubscribe(let arn): return try await self.subscriptions.unsubscribe(arn, caller)
        case .getSubscriptionAttributes(let arn): return try await self.subscriptions.attributes(arn, caller)
        case .setSubscriptionAttributes(let arn, let attribute):
            return try await self.subscriptions.set(attribute, of: arn, caller)
        case .listSubscriptions(let token): return try await self.subscriptions.list(after: token, caller)
        case .listSubscriptionsByTopic(let arn, let token):
            return try await self.subscriptions.list(arn, after: token, caller)
        case .confirmSubscription(let request): return try await self.subscriptions.confirm(request, caller)
        case .addPermission(let request): return try await self.topics.addPermission(request, caller)
        case .removePermission(let arn, let label):
            return try await self.topics.removePermission(label, of: arn, caller)
        default:
            throw SNSError(.invalidAction, "\(call.action.rawValue) is not an operation on topics.")
        }
    }
}

/// Finds the resources of ARNs.
struct SNSResourceResolver: Sendable {
    typealias Store = DeviceStore & NotificationStore & PlatformStore & PublicationStore & SubscriptionStore
        & TopicDeliveryStore & TopicStore

    let store: any Store

    /// Seals and opens the users of URLs.
    let masterKey: MasterKey

    /// The application of an ARN; `nil` when there is none.
    ///
    /// - Throws: `SNSError` `AuthorizationError` when the caller may not do this for its app.
    func application(
        _ arn: ApplicationARN,
        for action: SNSAction,
        _ caller: SNSPrincipal
    ) async throws -> PlatformApplication? {
        guard arn.scope == caller.scope, let application = try await self.store.application(arn.modelName) else {
            return nil
        }
        try caller.check(action, for: application.app)
        return application
    }

    /// The application of an ARN.
    ///
    /// - Throws: `SNSError` `NotFound`, and as ``application(_:for:_:)``.
    func requireApplication(
        _ arn: ApplicationARN,
        for action: SNSAction,
        _ caller: SNSPrincipal
    ) async throws -> PlatformApplication {
        guard let application = try await self.application(arn, for: action, caller) else {
            throw ApplicationAttributes.notFound
        }
        return application
    }

    /// The endpoint of an ARN with its application; `nil` when one of them is not there.
    func endpoint(
        _ arn: EndpointARN,
        for action: SNSAction,
        _ caller: SNSPrincipal
    ) async throws -> (application: PlatformApplication, endpoint: PlatformEndpoint)? {
        guard arn.application.scope == caller.scope, let installation = arn.installation,
            let (application, endpoint) = try await self.store.endpoint(installation, of: arn.application.modelName)
        else { return nil }
        try caller.check(action, for: application.app)
        return endpoint.map { (application, $0) }
    }
}

extension ApplicationARN {
    /// The name of the application in the store.
    var modelName: PlatformApplication.Name {
        PlatformApplication.Name(platform: self.platform.rawValue, text: self.name)
    }

    init(_ application: PlatformApplication, _ scope: SNSScope) throws(SNSError) {
        guard let platform = SNSPlatform(rawValue: application.name.platform),
            let arn = ApplicationARN(scope: scope, platform: platform, name: application.name.text)
        else { throw SNSError(.internalError, "A platform application of the store has no name that SNS allows.") }
        self = arn
    }
}

/// The pages of lists, and the tokens between them.
struct SNSPagination: Sendable {
    /// How many elements a page has.
    let size: Int

    let codec: NextTokenCodec

    /// The place that a token names; `nil` for the first page.
    ///
    /// - Throws: `SNSError` `InvalidParameter` for every token that was not given out for this list.
    func place<Place>(
        _ token: String?,
        of list: String,
        _ read: (String) -> Place?
    ) throws(SNSError) -> Place? {
        guard let token, !token.isEmpty else { return nil }
        guard let place = read(try self.codec.decode(token, of: list)) else {
            throw .invalidParameter("NextToken")
        }
        return place
    }

    func token(_ place: String, of list: String) -> String { self.codec.encode(place, of: list) }
}
