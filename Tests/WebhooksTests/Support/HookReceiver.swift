// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ApusTesting
import Foundation
import Hummingbird
import Logging
import NIOCore
import Synchronization

/// A receiver of webhooks on a port of this machine, that answers as a test tells it and keeps what it got.
final class HookReceiver: Sendable {
    /// A request as it came.
    struct Request: Sendable {
        let headers: [String: String]
        let body: [UInt8]

        /// The events of the body.
        var events: [JSONValue] {
            guard let json = try? JSONValue(json: self.body), case .array(let events)? = json["events"] else {
                return []
            }
            return events
        }

        /// The numbers that sample events tell.
        var numbers: [Int] {
            self.events.compactMap { event in
                guard case .integer(let number)? = event["data"]?["number"] else { return nil }
                return Int(number)
            }
        }

        func text(_ header: String) -> String { self.headers[header] ?? "" }
    }

    /// What the receiver does with a request.
    enum Reaction: Sendable {
        case answer(Int, body: String = "")
        case redirect(to: String)
        case hang
        case talkForEver
    }

    let port: Int

    /// The requests from the beginning on.
    let requests: AsyncStream<Request>

    private let arrived: AsyncStream<Request>.Continuation
    private let reactions = Mutex<[Reaction]>([])

    private init(port: Int, _ stream: (AsyncStream<Request>, AsyncStream<Request>.Continuation)) {
        self.port = port
        (self.requests, self.arrived) = stream
    }

    /// What is done with the next requests, one each; those beyond are answered with 204.
    func react(_ reactions: Reaction...) {
        self.reactions.withLock { $0 += reactions }
    }

    /// The next request.
    func next() async throws -> Request { try await self.requests.nextElement() }

    /// The next requests.
    func next(_ count: Int) async throws -> [Request] {
        var requests: [Request] = []
        for await request in self.requests {
            requests.append(request)
            if requests.count == count { return requests }
        }
        throw CancellationError()
    }

    /// Runs a receiver for as long as `body` takes.
    static func run(_ body: @Sendable @escaping (HookReceiver) async throws -> Void) async throws {
        let (ports, bound) = AsyncStream.makeStream(of: Int.self)
        let box = Mutex<HookReceiver?>(nil)
        let router = Router()
        router.post("**") { request, _ in
            var request = request
            let buffer = try await request.collectBody(upTo: 1 << 20)
            let headers = Dictionary(request.headers.map { ($0.name.rawName.lowercased(), $0.value) }) { $1 }
            let host = request.head.authority ?? ""
            let kept = Request(
                headers: headers.merging(["host": host]) { $1 },
                body: Array(buffer.readableBytesView)
            )
            guard let receiver = box.withLock({ $0 }) else { throw HTTPError(.serviceUnavailable) }
            return try await receiver.receive(kept)
        }
        let app = Application(
            router: router,
            configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in bound.yield(channel.localAddress?.port ?? 0) },
            logger: Logger(label: "receiver") { _ in SwiftLogNoOpLogHandler() }
        )
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                defer { bound.finish() }
                try? await app.run()
            }
            let receiver = HookReceiver(port: try await ports.nextElement(), AsyncStream.makeStream())
            box.withLock { $0 = receiver }
            try await body(receiver)
            group.cancelAll()
        }
    }

    private func receive(_ request: Request) async throws -> Response {
        let reaction = self.reactions.withLock { $0.isEmpty ? .answer(204) : $0.removeFirst() }
        self.arrived.yield(request)
        switch reaction {
        case .answer(let status, let body):
            return Response(status: .init(code: status), body: .init(byteBuffer: ByteBuffer(string: body)))
        case .redirect(let place):
            return Response(status: .found, headers: [.location: place])
        case .hang:
            // Until the test is over, or the sender has hung up.
            for await _ in AsyncStream<Void>.makeStream().stream {}
            throw CancellationError()
        case .talkForEver:
            return Response(
                status: .ok,
                body: ResponseBody { writer in
                    while !Task.isCancelled { try await writer.write(ByteBuffer(repeating: 0x61, count: 1024)) }
                }
            )
        }
    }
}
