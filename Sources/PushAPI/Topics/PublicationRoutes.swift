// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import HTTPTypes
import Hummingbird
import PushModel
import PushStore
import SNSProtocol
import Topics
import Work

/// Publishes to an app's topics: `/v1/apps/{app}/topics/{topic}/notifications`.
struct PublicationRoutes: APIRoutes {
    typealias Store = AppStore & SendRequestHandler.Store & TopicPublisher.Store

    let store: any Store
    let publisher: TopicPublisher
    let signals: ChangeHub<NotificationID>
    let waiter: SettlementWaiter
    let configuration: PushAPIConfiguration
    let metrics: AcceptanceMetrics
    let now: @Sendable () -> Date

    init(
        store: any Store,
        signals: ChangeHub<NotificationID>,
        waiter: SettlementWaiter,
        configuration: PushAPIConfiguration,
        metrics: AcceptanceMetrics,
        now: @escaping @Sendable () -> Date
    ) {
        self.store = store
        self.publisher = TopicPublisher(store: store, urgentTargetLimit: configuration.urgentTargetLimit)
        self.signals = signals
        self.waiter = waiter
        self.configuration = configuration
        self.metrics = metrics
        self.now = now
    }

    var routes: [APIRoute] {
        [
            APIRoute(.post, "/v1/apps/{app}/topics/{topic}/notifications", .scopes([.send]), self.publish)
                .performing(.publish)
        ]
    }

    private func publish(_ call: AuthorizedRequest) async throws -> Response {
        let waits = try call.waits()
        let name = try call.topic()
        let body = try await call.body(upTo: self.configuration.maximumBodyBytes)
        let request = try PublicationRequest(body, app: try call.app())
        let app = try await call.requireApp()
        let once = try IdempotentRequest(call, body: body, store: self.store)
        if let once, let record = try await once.earlier() { return Response(record.answer, isReplayed: true) }
        let now = Date(millisecondsSince1970: self.now().millisecondsSince1970)
        var answer: IdempotencyRecord.Answer?
        var listening: ChangeHub<NotificationID>.Subscription?
        defer { listening?.end() }
        let receipt: TopicPublishResult?
        do {
            receipt = try await self.publisher.publish(
                try self.draft(request, to: name, app: app.id, now: now),
                now: now
            ) {
                receipt in
                let made = try Self.answer(receipt, topic: name, app: app.id)
                answer = made
                // Subscribed before it is stored, so that no settlement can go by unseen.
                if waits, case .notification(let notification, _)? = receipt.parts.first {
                    listening = self.signals.subscribe(to: notification.id)
                }
                let id = receipt.notifications.first ?? NotificationID(now: now)
                return once?.record(of: id, answer: made, createdAt: now)
            }
        } catch let error as StoreError where error.code == .conflict {
            // The same request came a second time while this one was on its way.
            guard let once, let record = try await once.earlier() else { throw error }
            return Response(record.answer, isReplayed: true)
        }
        guard let receipt, let answer else { throw Problem.unknownTopic }
        if case .notification(_, let batches)? = receipt.parts.first { self.metrics.count(batches) }
        guard let listening, case .notification(let notification, _)? = receipt.parts.first else {
            return Response(answer)
        }
        let waited = await self.waiter.wait(
            for: notification.id,
            wakes: listening,
            logger: call.context.logger
        ) { standing in
            try await self.settled(standing.status, receipt, topic: name)
        }
        // It is stored: the response confirms that, even if a later step fails.
        return if case .done(let settled) = waited { Response(settled) } else { Response(answer) }
    }

    private func draft(
        _ request: PublicationRequest,
        to topic: TopicName,
        app: AppID,
        now: Date
    ) throws(Problem) -> PublicationDraft {
        let content: AppMessage
        do {
            content = try AppMessage(
                app: app,
                headers: request.headers,
                payload: request.payload,
                expiresAt: request.headers.expiresAt(now: now),
                lane: request.lane,
                now: now
            )
        } catch {
            throw Problem(.payloadTooLarge, error.message, faults: [error])
        }
        return PublicationDraft(
            topic: topic,
            app: app,
            attributes: request.attributes,
            body: String(decoding: request.payload.bytes, as: UTF8.self)
        ) { _ in [content] }
    }

    private static func answer(
        _ receipt: TopicPublishResult,
        topic: TopicName,
        app: AppID
    ) throws -> IdempotencyRecord.Answer {
        let location: String? =
            switch receipt.parts.first {
            case .notification(let notification, _)?: "/v1/apps/\(app)/notifications/\(notification.id)"
            case .campaign(let campaign)?: "/v1/apps/\(app)/campaigns/\(campaign.id)"
            case nil: nil
            }
        let status: HTTPResponse.Status = receipt.parts.isEmpty ? .ok : .accepted
        return IdempotencyRecord.Answer(
            try PublicationResponse(receipt, topic: topic),
            status: status,
            location: location
        )
    }

    /// The answer to a caller who waited until every device had its outcome.
    private func settled(
        _ status: NotificationStatus,
        _ receipt: TopicPublishResult,
        topic: TopicName
    ) async throws -> IdempotencyRecord.Answer {
        var body = try PublicationResponse(receipt, topic: topic)
        var notification = NotificationResponse(status)
        notification.list(try await self.store.firstFailures(of: status), in: status)
        body.notification = notification
        return IdempotencyRecord.Answer(body, status: .ok)
    }
}

/// A request to publish to a topic.
struct PublicationRequest: Sendable {
    static let members = ["attributes", "lane"] + ContentParser.members

    /// The most attributes of a message.
    static let maximumAttributes = 64

    var headers: NotificationHeaders
    var payload: APNsPayload
    var attributes: [String: MessageAttribute]
    var lane: Lane?
}

extension PublicationRequest {
    /// Reads the body of a request; the payload is measured against Apple's limit here.
    init(_ body: [UInt8], app: AppID) throws(Problem) {
        var content = ContentParser()
        var attributes: [String: MessageAttribute] = [:]
        var lane: Lane?
        self = try JSONReader.read(body, members: Self.members) { reader, member, path throws(JSONSyntaxError) in
            switch member {
            case "attributes": attributes = try Self.attributes(&reader, path)
            case "lane": lane = try reader.oneOf(Lane.self, path)
            default: try content.read(member, &reader, path)
            }
        } finish: { reader in
            content.finish(&reader, app: app).map { content in
                PublicationRequest(
                    headers: content.headers,
                    payload: content.payload,
                    attributes: attributes,
                    lane: lane
                )
            }
        }
    }

    private static func attributes(
        _ reader: inout JSONReader,
        _ path: FieldPath
    ) throws(JSONSyntaxError) -> [String: MessageAttribute] {
        var attributes: [String: MessageAttribute] = [:]
        try reader.eachMember(path) { reader, name, path throws(JSONSyntaxError) in
            if !Self.isName(name) {
                let rule = "a name of 1 to 256 letters, digits, '-', '_' and '.'"
                reader.faults.add(path, expected: rule, got: "\(name.utf8.count) bytes of another form")
            }
            attributes[name] = try Self.attribute(&reader, path)
        }
        if attributes.count > Self.maximumAttributes {
            let rule = "at most \(Self.maximumAttributes) attributes"
            reader.faults.add(path, expected: rule, got: "\(attributes.count)")
        }
        return attributes
    }

    /// A text, a number, or an array of both and of booleans, as filter policies see them.
    private static func attribute(
        _ reader: inout JSONReader,
        _ path: FieldPath
    ) throws(JSONSyntaxError) -> MessageAttribute? {
        let bytes = try reader.withCursor { cursor throws(JSONSyntaxError) in
            _ = try cursor.kind()
            let range = try cursor.skipValue()
            return Array(cursor.bytes[range])
        }
        let text = String(decoding: bytes, as: UTF8.self)
        switch try? JSONValue(json: bytes) {
        case .string(let value)?: return MessageAttribute(dataType: "String", value: .text(value))
        case .integer?, .double?: return MessageAttribute(dataType: "Number", value: .text(text))
        case .array(let elements)? where elements.allSatisfy(\.isScalar):
            return MessageAttribute(dataType: "String.Array", value: .text(text))
        default:
            reader.faults.add(path, expected: "a string, a number, or an array of them", got: "another value")
            return nil
        }
    }

    private static func isName(_ name: String) -> Bool {
        (1...256).contains(name.utf8.count)
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
                    true
                default: false
                }
            }
    }
}

extension JSONValue {
    fileprivate var isScalar: Bool {
        switch self {
        case .null, .bool, .integer, .double, .string: true
        case .array, .object: false
        }
    }
}

/// The result of a publication for an app, as returned by the API: nothing, a notification, or a campaign.
struct PublicationResponse: JSONWritable {
    let topic: String
    var notification: NotificationResponse?

    /// The JSON of a ``CampaignResponse``.
    private var campaign: [UInt8]?

    init(_ receipt: TopicPublishResult, topic: TopicName) throws {
        self.topic = topic.rawValue
        switch receipt.parts.first {
        case .notification(let notification, let batches)?:
            let statuses = batches.map { batch in
                BatchStatus(
                    id: batch.id,
                    ordinal: batch.ordinal,
                    lifecycle: ScheduledBatch(batch: batch).lifecycle,
                    counts: OutcomeCounts()
                )
            }
            self.notification = NotificationResponse(NotificationStatus(notification: notification, batches: statuses))
        case .campaign(let campaign)?:
            let status = CampaignStatus(
                campaign: campaign,
                lifecycle: CampaignLifecycle(campaign),
                counts: OutcomeCounts()
            )
            self.campaign = try JSONResponseEncoder.bytes(CampaignResponse(status))
        case nil: break
        }
    }

    func write(into writer: inout JSONWriter) {
        writer.object { writer in
            if let campaign = self.campaign {
                writer.key("campaign")
                writer.raw(campaign)
            }
            writer.member("notification", self.notification)
            writer.member("topic", self.topic)
        }
    }
}
