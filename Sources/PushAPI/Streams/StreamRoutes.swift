// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import PushModel
import PushStore
import Work

/// Many notifications on one long request: `/v1/apps/{app}/notifications:stream`.
struct StreamRoutes: APIRoutes {
    /// How many accepted lines a stream can have, so that no number of a later line overflows.
    private static let acceptedLines = 0...Int.max / 2

    let store: any AppStore & NotificationStore & StreamStore
    let signals: ChangeHub<BatchID>
    let configuration: PushAPIConfiguration
    let metrics: AcceptanceMetrics
    let clock: any Clock<Duration>
    let now: @Sendable () -> Date

    var routes: [APIRoute] {
        [APIRoute(.post, "/v1/apps/{app}/notifications:stream", .scopes([.send]), self.open)]
    }

    private func open(_ call: AuthorizedRequest) async throws -> Response {
        let request = try StreamRequest(try call.query(StreamRequest.parameters))
        try call.checkMediaType(MediaType.ndjson)
        try call.refuseIdempotencyKey(insteadOf: "none; name the stream by 'stream'")
        let app = try await call.requireApp()
        var accepted = 0
        if let stream = request.stream {
            accepted = try await self.store.acceptedLines(of: stream, app: app.id)
            guard Self.acceptedLines.contains(accepted) else { throw StoreError.damaged("number of a stream's lines") }
            try request.check(accepted: accepted)
        }
        let session = StreamSession(
            share: try call.share(of: .stream),
            memory: call.memory,
            app: app,
            request: request,
            accepted: accepted,
            store: self.store,
            signals: self.signals,
            limits: self.configuration.stream,
            metrics: self.metrics,
            refusal: call.refusal,
            recheckInterval: self.configuration.recheckInterval,
            clock: self.clock,
            now: self.now,
            logger: call.context.logger
        )
        await call.inviteBody(isStream: true)
        let body = call.request.body
        return Response(
            status: .ok,
            headers: [.contentType: MediaType.ndjson],
            body: .stream { writer in try await session.run(body, &writer) }
        )
    }
}

/// How a client wants a stream to begin: `?stream=<id>&from=<line>&outcomesAfter=<line>`.
struct StreamRequest: Hashable, Sendable {
    static let parameters = ["stream", "from", "outcomesAfter"]

    /// The client's name for the stream; `nil` if it cannot be resumed.
    let stream: StreamID?

    /// The number of the first line of this request.
    let firstLine: Int

    /// The line after which outcomes are wanted that were found before; `nil` for none.
    let outcomesAfter: Int?

    /// Takes the parameters of a query.
    ///
    /// - Throws: ``Problem`` `.invalidRequest` for a value that breaks a rule, and for one that needs a stream's name.
    init(_ query: [String: String]) throws(Problem) {
        var faults = ValidationErrors()
        var stream: StreamID?
        do {
            stream = try query["stream"].map { (text) throws(InvalidValueError) in try StreamID(validating: text) }
        } catch {
            faults.add(error, at: .query("stream"))
        }
        self.stream = stream
        self.firstLine = Self.line(query, "from", minimum: 1, &faults) ?? 1
        self.outcomesAfter = Self.line(query, "outcomesAfter", minimum: 0, &faults)
        if query["stream"] == nil {
            for name in ["from", "outcomesAfter"] where query[name] != nil {
                faults.add(.query(name), expected: "nothing without 'stream'", got: "a value")
            }
        }
        try faults.check()
    }

    private static func line(
        _ query: [String: String],
        _ name: String,
        minimum: Int,
        _ faults: inout ValidationErrors
    ) -> Int? {
        guard let text = query[name] else { return nil }
        if let line = Int(text), (minimum...Int(Int32.max)).contains(line) { return line }
        let rule = "the number of a line, \(minimum) or more"
        faults.add(.query(name), expected: rule, got: "\(text.utf8.count) characters with another value")
        return nil
    }

    /// Compares the requested position with the progress of the stream.
    ///
    /// - Throws: ``Problem`` `.streamGap` if lines are missing.
    func check(accepted: Int) throws(Problem) {
        guard self.firstLine > accepted + 1 else { return }
        throw Problem(
            .streamGap,
            at: .query("from"),
            expected: "at most \(accepted + 1), since \(accepted) lines were accepted",
            got: "\(self.firstLine)"
        )
    }
}
