// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import HTTP2Session
import NIOCore
import NIOSSL

/// The owner of a test client's connection.
final class ProviderTestDelegate: HTTP2ConnectionDelegate {
    private struct Exchange {
        var promise: EventLoopPromise<TestResponse>
        var body: UnsafeMutableRawBufferPointer
        var response = TestResponse()
    }

    private let opened: EventLoopPromise<Void>
    private let goAway: EventLoopPromise<TestGoAway>
    private let streamLimits: AsyncStream<UInt32>.Continuation
    private(set) var connection: HTTP2Connection?
    /// How often the server has said GOAWAY.
    private(set) var goAways = 0
    private var exchanges: [Int: Exchange] = [:]
    private var pings: [EventLoopPromise<Void>] = []

    init(
        opened: EventLoopPromise<Void>,
        goAway: EventLoopPromise<TestGoAway>,
        streamLimits: AsyncStream<UInt32>.Continuation
    ) {
        self.opened = opened
        self.goAway = goAway
        self.streamLimits = streamLimits
    }

    func submit(_ fields: [(StaticString, String)], body: [UInt8]) -> EventLoopFuture<TestResponse> {
        let promise = self.goAway.futureResult.eventLoop.makePromise(of: TestResponse.self)
        guard let session = self.connection?.session else {
            promise.fail(TestFailure.closed)
            return promise.futureResult
        }
        var table = HTTP2HeaderList(capacity: max(1, fields.count))
        var storage: [UnsafeMutableBufferPointer<UInt8>] = []
        defer { for buffer in storage { buffer.deallocate() } }
        for (name, value) in fields {
            let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: max(1, value.utf8.count))
            _ = buffer.initialize(from: value.utf8)
            storage.append(buffer)
            table.append(name, UnsafeBufferPointer(start: buffer.baseAddress, count: value.utf8.count), .copied)
        }
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: body.count, alignment: 1)
        copy.copyBytes(from: body)
        do {
            let stream = try session.submitRequest(table, body: UnsafeRawBufferPointer(copy))
            self.exchanges[stream.slot] = Exchange(promise: promise, body: copy)
        } catch {
            copy.deallocate()
            promise.fail(error)
        }
        return promise.futureResult
    }

    /// Asks for a sign of life; the future is settled when it comes.
    func ping() -> EventLoopFuture<Void> {
        let promise = self.goAway.futureResult.eventLoop.makePromise(of: Void.self)
        guard let connection = self.connection, let session = connection.session else {
            promise.fail(TestFailure.closed)
            return promise.futureResult
        }
        self.pings.append(promise)
        session.submitPing()
        connection.flush()
        return promise.futureResult
    }

    func connectionDidOpen(_ connection: HTTP2Connection, peerCertificate: NIOSSLCertificate?) {
        self.connection = connection
        self.opened.succeed()
    }

    func connectionDidReadBurst(_ connection: HTTP2Connection) {}

    func connectionDidClose(_ connection: HTTP2Connection, error: HTTP2SessionError?) {
        self.connection = nil
        self.opened.fail(TestFailure.closed)
        self.goAway.fail(TestFailure.closed)
        self.streamLimits.finish()
        for exchange in self.exchanges.values {
            exchange.promise.fail(TestFailure.closed)
            exchange.body.deallocate()
        }
        self.exchanges = [:]
        for ping in self.pings { ping.fail(TestFailure.closed) }
        self.pings = []
    }

    func session(_ session: HTTP2Session, didBeginHeadersOn stream: HTTP2Stream) {}

    func session(
        _ session: HTTP2Session,
        didReceiveField name: UnsafeBufferPointer<UInt8>,
        value: UnsafeBufferPointer<UInt8>,
        on stream: HTTP2Stream
    ) {
        let name = String(decoding: name, as: UTF8.self)
        self.exchanges[stream.slot]?.response.headers[name] = String(decoding: value, as: UTF8.self)
    }

    func session(_ session: HTTP2Session, didEndHeadersOn stream: HTTP2Stream, endStream: Bool) {
        if !endStream { self.exchanges[stream.slot]?.response.hasData = true }
    }

    func session(_ session: HTTP2Session, didReceiveData bytes: UnsafeRawBufferPointer, on stream: HTTP2Stream) {
        self.exchanges[stream.slot]?.response.body += Array(bytes)
        self.exchanges[stream.slot]?.response.dataFrames += 1
    }

    func session(_ session: HTTP2Session, didEndDataOn stream: HTTP2Stream) {}

    func session(_ session: HTTP2Session, didClose stream: HTTP2Stream, code: HTTP2ErrorCode) {
        guard let exchange = self.exchanges.removeValue(forKey: stream.slot) else { return }
        exchange.body.deallocate()
        if code == .noError, exchange.response.status != nil {
            exchange.promise.succeed(exchange.response)
        } else {
            exchange.promise.fail(TestFailure.reset(code.rawValue))
        }
    }

    func sessionDidReceiveSettings(_ session: HTTP2Session) {
        self.streamLimits.yield(session.remoteMaximumConcurrentStreams)
    }

    func session(
        _ session: HTTP2Session,
        didReceiveGoAway lastStreamID: Int32,
        code: HTTP2ErrorCode,
        debugData: UnsafeRawBufferPointer
    ) {
        self.goAways += 1
        let text = String(decoding: debugData, as: UTF8.self)
        self.goAway.succeed(TestGoAway(lastStreamID: lastStreamID, code: code.rawValue, debugData: text))
    }

    func sessionDidReceivePingAcknowledgement(_ session: HTTP2Session) {
        guard !self.pings.isEmpty else { return }
        self.pings.removeFirst().succeed()
    }
}
