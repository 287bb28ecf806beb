// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import HTTP2Session
import NIOCore
import NIOSSL

/// Puts TLS, HTTP/2 and what a fault adds on a socket that was accepted.
struct ConnectionInstaller: Sendable {
    let core: SimulatorCore
    let tls: ServerTLS
    let service: ProviderService

    /// Sets up a connection.
    ///
    /// The future comes when it may begin to read.
    func install(on channel: any Channel) -> EventLoopFuture<Void> {
        let plan = self.core.connectionPlan()
        if plan.isRefused {
            SocketReset.prepare(channel)
            return channel.close()
        }
        guard plan.acceptDelay > .zero else {
            return channel.eventLoop.makeCompletedFuture { try self.install(plan, on: channel) }
        }
        return channel.eventLoop.scheduleTask(in: TimeAmount(plan.acceptDelay)) {
            try self.install(plan, on: channel)
        }.futureResult
    }

    private func install(_ plan: ConnectionPlan, on channel: any Channel) throws {
        let pipeline = channel.pipeline.syncOperations
        var cuts = plan.cuts
        if plan.tls == .cutHandshake { cuts.append(ConnectionCut(after: 0, of: .input, layer: .socket)) }
        if !cuts.isEmpty { try pipeline.addHandler(SocketEnd()) }
        if plan.roundTrip > .zero { try pipeline.addHandler(RoundTripHandler(delay: TimeAmount(plan.roundTrip))) }
        for cut in cuts where cut.layer == .socket { try pipeline.addHandler(CutHandler(cut)) }
        try pipeline.addHandler(NIOSSLServerHandler(context: self.tls.context(plan.tls)))
        for cut in cuts where cut.layer == .http2 { try pipeline.addHandler(CutHandler(cut)) }
        if let size = plan.fragmentSize { try pipeline.addHandler(FragmentHandler(size: size)) }
        if let goAway = plan.goAwayFirst { try pipeline.addHandler(FirstWordHandler(goAway.frame)) }
        let connection = ProviderConnection(core: self.core, service: self.service, settings: self.settings(plan))
        // What the frame says is not taken is not: later streams may be sent again.
        if let goAway = plan.goAwayFirst { connection.lastStreamID = goAway.lastStreamID }
        self.core.connections.add(connection, channel: channel)
        try pipeline.addHandler(
            HTTP2Connection(configuration: self.configuration(plan), delegate: connection)
        )
    }

    private func settings(_ plan: ConnectionPlan) -> HTTP2Settings {
        let configuration = self.core.configuration
        var settings = HTTP2Settings(maximumConcurrentStreams: configuration.initialConcurrentStreams)
        if let streams = plan.settings?.maximumConcurrentStreams { settings.maximumConcurrentStreams = streams }
        if let size = plan.settings?.initialWindowSize { settings.initialWindowSize = size }
        return settings
    }

    private func configuration(_ plan: ConnectionPlan) -> HTTP2ConnectionConfiguration {
        let excess: HTTP2StreamExcess =
            switch self.core.configuration.switches.connections.streamExcess {
            case .refuse: .refuse
            case .goAway: .goAway(.refusedStream, "Maximum active streams violated for this endpoint")
            case .serve: .serve
            }
        return HTTP2ConnectionConfiguration(
            role: .server,
            settings: self.settings(plan),
            limits: HTTP2Limits(streamExcess: excess),
            // Clients of a simulator are tests, also on busy machines.
            handshakeTimeout: .seconds(60)
        )
    }
}
