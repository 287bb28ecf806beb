// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import HTTP2Session
import NIOCore
import NIOSSL

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// One connection to a server of APNs: a request at a time, and its response.
///
/// It belongs to one event loop.
final class RequestConnection: HTTP2ConnectionDelegate {
    private struct Exchange {
        let promise: EventLoopPromise<APNsResponse>
        let body: UnsafeMutableRawBufferPointer
        let slot: Int
        var response = APNsResponse()
        var deadline: Scheduled<Void>?
    }

    /// The most header fields of a response that are kept.
    private static let maximumHeaders = 64

    private let eventLoop: any EventLoop
    private let authority: String
    private let authorization: [UInt8]?
    private let ready: EventLoopPromise<NIOLoopBound<RequestConnection>>
    private var connection: HTTP2Connection?
    private var isReady = false
    private var isOver = false
    private var exchange: Exchange?
    /// The bodies of requests that ended without an answer, which may still be read from.
    private var leftBodies: [UnsafeMutableRawBufferPointer] = []

    /// Creates a connection that completes `ready` when requests can be sent.
    ///
    /// Of several attempts, one for each address of the server, the first successful one completes it.
    init(
        destination: APNsDestination,
        authorization: [UInt8]?,
        ready: EventLoopPromise<NIOLoopBound<RequestConnection>>
    ) {
        self.eventLoop = ready.futureResult.eventLoop
        self.authority = destination.endpoint.authority
        self.authorization = authorization
        self.ready = ready
    }

    // MARK: Requests

    /// Whether it takes another request.
    var isUsable: Bool { self.isReady && !self.isOver && self.exchange == nil }

    /// Sends a request; the future fails with a ``RequestLoss`` when no answer comes.
    func send(_ request: APNsRequest, timeout: TimeAmount) -> EventLoopFuture<APNsResponse> {
        let promise = self.eventLoop.makePromise(of: APNsResponse.self)
        guard self.isUsable, let connection = self.connection, let session = connection.session else {
            promise.fail(RequestLoss(wasSent: false, message: "the connection was lost"))
            return promise.futureResult
        }
        let body = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, request.body.count), alignment: 1)
        body.copyBytes(from: request.body)
        do throws(HTTP2SessionError) {
            let bytes = UnsafeRawBufferPointer(rebasing: body[..<request.body.count])
            let stream = try self.submit(request, body: bytes, to: session)
            var exchange = Exchange(promise: promise, body: body, slot: stream.slot)
            exchange.deadline = self.eventLoop.assumeIsolated().scheduleTask(in: timeout) {
                self.finish(.failure(RequestLoss(wasSent: true, message: "APNs did not respond in time")))
                self.close()
            }
            self.exchange = exchange
            connection.flush()
        } catch {
            body.deallocate()
            promise.fail(RequestLoss(wasSent: false, message: "\(error)"))
        }
        return promise.futureResult
    }

    private func submit(
        _ request: APNsRequest,
        body: UnsafeRawBufferPointer,
        to session: HTTP2Session
    ) throws(HTTP2SessionError) -> HTTP2Stream {
        var fields: [(name: StaticString, value: [UInt8])] = [
            (":method", Array(request.method.utf8)), (":scheme", Array("https".utf8)),
            (":authority", Array(self.authority.utf8)), (":path", Array(request.path.utf8)),
        ]
        if let authorization, request.carriesProviderToken { fields.append(("authorization", authorization)) }
        fields += request.headers.map { (name: $0.name, value: Array($0.value.utf8)) }
        let bytes = fields.flatMap(\.value)
        var table = HTTP2HeaderList(capacity: fields.count)
        return try bytes.withUnsafeBufferPointer { bytes throws(HTTP2SessionError) in
            var start = 0
            for field in fields {
                let end = start + field.value.count
                table.append(field.name, UnsafeBufferPointer(rebasing: bytes[start..<end]), .copied)
                start = end
            }
            return try session.submitRequest(table, body: body)
        }
    }

    /// Closes immediately; requests in flight get no response.
    func close() {
        self.isOver = true
        self.connection?.close()
    }

    private func finish(_ result: Result<APNsResponse, any Error>) {
        guard let exchange = self.exchange else { return }
        self.exchange = nil
        exchange.deadline?.cancel()
        if case .success = result { exchange.body.deallocate() } else { self.leftBodies.append(exchange.body) }
        exchange.promise.completeWith(result)
    }

    deinit { for body in self.leftBodies { body.deallocate() } }

    // MARK: Beginning and end

    func connectionDidOpen(_ connection: HTTP2Connection, peerCertificate: NIOSSLCertificate?) {
        self.connection = connection
        if self.isOver { connection.close() }
    }

    func sessionDidReceiveSettings(_ session: HTTP2Session) {
        guard !self.isReady else { return }
        self.isReady = true
        self.ready.succeed(NIOLoopBound(self, eventLoop: self.eventLoop))
    }

    func connectionDidReadBurst(_ connection: HTTP2Connection) {}

    func connectionDidClose(_ connection: HTTP2Connection, error: HTTP2SessionError?) {
        let wasOpen = self.connection != nil
        self.connection = nil
        self.isOver = true
        let cause = error.map { " (\($0))" } ?? ""
        // Otherwise TCP failed, or another address was faster: the code that connects reports that.
        if !self.isReady, wasOpen || error != nil {
            self.ready.fail(RequestLoss(wasSent: false, message: "no connection to \(self.authority)\(cause)"))
        }
        self.finish(.failure(RequestLoss(wasSent: true, message: "the connection was lost\(cause)")))
    }

    func session(
        _ session: HTTP2Session,
        didReceiveGoAway lastStreamID: Int32,
        code: HTTP2ErrorCode,
        debugData: UnsafeRawBufferPointer
    ) {
        self.isOver = true
    }

    // MARK: Answers

    func session(
        _ session: HTTP2Session,
        didReceiveField name: UnsafeBufferPointer<UInt8>,
        value: UnsafeBufferPointer<UInt8>,
        on stream: HTTP2Stream
    ) {
        guard self.exchange?.slot == stream.slot else { return }
        let text = String(decoding: value, as: UTF8.self)
        switch String(decoding: name, as: UTF8.self) {
        case ":status": self.exchange?.response.status = Int(text) ?? 0
        case let name:
            // Interim responses and trailers have fields too, and there may be any number of these.
            guard let known = self.exchange?.response.headers,
                known.count < Self.maximumHeaders || known[name] != nil
            else { return }
            self.exchange?.response.headers[name] = text
        }
    }

    func session(_ session: HTTP2Session, didReceiveData bytes: UnsafeRawBufferPointer, on stream: HTTP2Stream) {
        guard let exchange = self.exchange, exchange.slot == stream.slot else { return }
        let room = APNsResponse.maximumBody - exchange.response.body.count
        self.exchange?.response.body.append(contentsOf: bytes.prefix(max(0, room)))
    }

    func session(_ session: HTTP2Session, didClose stream: HTTP2Stream, code: HTTP2ErrorCode) {
        guard let exchange = self.exchange, exchange.slot == stream.slot else { return }
        if exchange.response.status >= 200 {
            // The answer has come, also where only the end of its body has not.
            self.finish(.success(exchange.response))
        } else {
            let message = "the server reset the stream: \(code)"
            self.finish(.failure(RequestLoss(wasSent: code != .refusedStream, message: message)))
        }
    }

    func session(_ session: HTTP2Session, didBeginHeadersOn stream: HTTP2Stream) {}
    func session(_ session: HTTP2Session, didEndHeadersOn stream: HTTP2Stream, endStream: Bool) {}
    func session(_ session: HTTP2Session, didEndDataOn stream: HTTP2Stream) {}
    func sessionDidReceivePingAcknowledgement(_ session: HTTP2Session) {}
}
