// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsSimulator
import CommandLineSupport
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import PushModel
import PushStore
import SNSProtocol

/// A worker that publishes through the SNS endpoint of a stage.
struct SNSBenchCaller: Sendable {
    private static let region = "eu-central-1"
    private static let account = "000000000000"
    private static let topic = "bench"

    /// How many devices are subscribed at a time; changes that wait together share a commit.
    private static let subscriptionsAtOnce = 256

    private let bench: BenchStage
    private let source: SNSSource

    /// Makes an access key at the server of a stage.
    ///
    /// - Throws: ``CommandFailure``, and what the API answers.
    init(_ bench: BenchStage) async throws {
        struct Draft: Encodable {
            let name = "bench"
            let scopes = ["admin"]
            let accessKey = true
        }
        let key: KeyAnswer = try await bench.stage.api.call(.post, "/v1/keys", sending: Draft()).decoded()
        guard let id = key.accessKeyID, let secret = key.secretAccessKey else {
            throw CommandFailure("bad_run", "The server made no access key.")
        }
        self.bench = bench
        self.source = try SNSSource(
            url: "\(bench.stage.server.url)/",
            region: Self.region,
            credential: SigningCredential(accessKeyID: id, secret: secret, sessionToken: nil)
        )
    }

    /// Subscribes all devices of a population to a topic of its app.
    static func subscribe(_ population: BenchPopulation, in store: any SubscriptionStore & TopicStore) async throws {
        let app = try AppID(validating: population.configuration.app)
        let topic = try TopicName(validating: Self.topic)
        let now = Date()
        _ = try await store.createTopic(topic, attributes: [:], tags: [:], for: app, now: now)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<population.configuration.count {
                if number >= Self.subscriptionsAtOnce { try await group.next() }
                let subscriber = Subscriber.device(app, try population.installation(number))
                group.addTask {
                    let subscription = Subscription(
                        id: SubscriptionID(now: now),
                        topic: topic,
                        subscriber: subscriber,
                        createdAt: now
                    )
                    let outcome = try await store.subscribe(subscription, policyLimit: 1)
                    guard case .created = outcome else {
                        throw CommandFailure("bad_run", "A device was not subscribed: \(outcome).")
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// Makes the platform application of which the devices are endpoints.
    func createApplication() async throws {
        _ = try await self.source.call(
            "CreatePlatformApplication",
            [
                "Name": "bench", "Platform": "APNS_SANDBOX",
                "Attributes.entry.1.key": "PlatformCredential",
                "Attributes.entry.1.value": try InputFile.text("\(self.bench.stage.directory)/simulator/demo-key.p8"),
                "Attributes.entry.2.key": "PlatformPrincipal",
                "Attributes.entry.2.value": self.bench.stage.simulator.keyID,
                "Attributes.entry.3.key": "ApplePlatformTeamID",
                "Attributes.entry.3.value": self.bench.stage.simulator.teamID,
                "Attributes.entry.4.key": "ApplePlatformBundleID",
                "Attributes.entry.4.value": self.bench.app,
            ]
        )
    }

    /// A signed request that publishes a text to the endpoint of a device.
    func publication(to number: Int) throws -> SNSBenchCalls.Call {
        let population = self.bench.population
        let id = try population.installation(number % population.configuration.count)
        let (headers, body) = try self.source.signed(
            "Publish",
            ["TargetArn": "\(Self.arn)endpoint/APNS_SANDBOX/bench/\(id)", "Message": "Ride \(number) has begun."]
        )
        var head = HTTPRequestHead(version: .http1_1, method: .POST, uri: "/", headers: headers)
        head.headers.add(name: "host", value: self.source.host)
        head.headers.add(name: "content-length", value: "\(body.count)")
        return SNSBenchCalls.Call(head: head, body: ByteBuffer(bytes: body))
    }

    /// Makes calls on a connection of its own, one after the other.
    ///
    /// - Returns: from each request to its answer, in milliseconds.
    func make(_ calls: [SNSBenchCalls.Call]) async throws -> [Double] {
        let url = URL(string: self.source.url)
        guard let host = url?.host(), let port = url?.port else {
            throw CommandFailure("bad_run", "The server's address has no port.")
        }
        return try await SNSBenchCalls.make(calls, host: host, port: port)
    }

    /// Publishes a notification to the topic.
    ///
    /// Returns the id of the campaign that it became.
    func publishToTopic() async throws -> String {
        struct Message: Encodable {
            let text: String
            let sandbox: String

            private enum CodingKeys: String, CodingKey {
                case text = "default"
                case sandbox = "APNS_SANDBOX"
            }
        }
        let message = Message(text: "Your ride has begun.", sandbox: BenchNotification.payload)
        let answer = try await self.source.call(
            "Publish",
            [
                "TopicArn": "\(Self.arn)\(Self.topic)", "MessageStructure": "json",
                "Message": String(decoding: try JSONEncoder().encode(message), as: UTF8.self),
            ]
        )
        guard let id = answer["MessageId"]?.text else { throw CommandFailure("bad_run", "The message has no id.") }
        return id
    }

    private static var arn: String { "arn:aws:sns:\(self.region):\(self.account):" }
}

/// Makes calls on one connection that stays open, each when the one before it is answered, as a worker with boto3 does.
///
/// The calls were written and signed before, for that is the work of other machines.
final class SNSBenchCalls: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    /// A request, signed.
    struct Call: Sendable {
        let head: HTTPRequestHead
        let body: ByteBuffer
    }

    /// How long an answer may take.
    private static let patience = TimeAmount.seconds(30)

    private var waiting: ArraySlice<Call>
    private var times: [Double] = []
    private var begun = ContinuousClock.now
    private var refusal: HTTPResponseStatus?
    private let finished: EventLoopPromise<[Double]>

    private init(_ calls: [Call], finished: EventLoopPromise<[Double]>) {
        self.waiting = calls[...]
        self.finished = finished
        self.times.reserveCapacity(calls.count)
    }

    /// Makes calls one after the other.
    ///
    /// - Returns: from each request to its answer, in milliseconds.
    /// - Throws: ``CommandFailure`` when a call is refused or not answered.
    static func make(_ calls: [Call], host: String, port: Int) async throws -> [Double] {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let finished = loop.makePromise(of: [Double].self)
        let bootstrap = ClientBootstrap(group: loop)
            .channelOption(.socketOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(IdleStateHandler(readTimeout: Self.patience))
                    try pipeline.addHTTPClientHandlers()
                    try pipeline.addHandler(SNSBenchCalls(calls, finished: finished))
                }
            }
        do {
            _ = try await bootstrap.connect(host: host, port: port).get()
        } catch {
            finished.fail(error)
        }
        return try await finished.futureResult.get()
    }

    func channelActive(context: ChannelHandlerContext) {
        self.callNext(context)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch self.unwrapInboundIn(data) {
        case .head(let head): self.refusal = head.status == .ok ? nil : head.status
        case .body: break
        case .end:
            if let refusal { return self.fail("A call was answered with \(refusal.code).", context) }
            self.times.append((ContinuousClock.now - self.begun) / .milliseconds(1))
            self.callNext(context)
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is IdleStateHandler.IdleStateEvent { self.fail("A call was not answered.", context) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.fail("The server closed a connection.", context)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        self.fail("A connection failed: \(error).", context)
    }

    private func callNext(_ context: ChannelHandlerContext) {
        guard let call = self.waiting.popFirst() else {
            self.finished.succeed(self.times)
            return context.close(promise: nil)
        }
        self.begun = .now
        context.write(self.wrapOutboundOut(.head(call.head)), promise: nil)
        context.write(self.wrapOutboundOut(.body(.byteBuffer(call.body))), promise: nil)
        context.writeAndFlush(self.wrapOutboundOut(.end(nil)), promise: nil)
    }

    /// A promise that was kept before stays kept.
    private func fail(_ message: String, _ context: ChannelHandlerContext) {
        self.finished.fail(CommandFailure("bad_run", message))
        context.close(promise: nil)
    }
}
