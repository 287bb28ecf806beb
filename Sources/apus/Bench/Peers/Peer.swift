// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// A sender that is measured beside others.
struct Peer: Sendable {
    /// How it sends.
    enum Means: Sendable {
        /// A process of its own, which is given the path of a ``PeerJob`` and ends with a ``PeerReport``.
        case process(executable: String, arguments: [String])
        /// The server of the stage, by one stream.
        case stream
    }

    let name: String
    let means: Means

    /// Numbers of notifications in flight that are tried, of which the best is taken; empty where it decides itself.
    let concurrencies: [Int]

    /// What is tried with senders that have to be told.
    static let usualConcurrencies = [20, 100, 500, 1000]

    /// Apus's own: the client with many notifications by a call and with one, and the whole server.
    static var own: [Peer] {
        let client = Means.process(executable: OwnExecutable.path, arguments: ["bench", "client-peer"])
        return [
            Peer(name: "apus client", means: client, concurrencies: []),
            Peer(name: "apus client, a call for each", means: client, concurrencies: Self.usualConcurrencies),
            Peer(name: "apus server, durable stream", means: .stream, concurrencies: []),
        ]
    }

    /// A sender built on AsyncHTTPClient.
    static func asyncHTTPClient(executable: String) -> Peer {
        Peer(
            name: "AsyncHTTPClient",
            means: .process(executable: executable, arguments: []),
            concurrencies: Self.usualConcurrencies
        )
    }

    /// A script that sends through aioapns, on both of Python's event loops.
    static func aioapns(python: String, script: String) -> [Peer] {
        [("aioapns", []), ("aioapns with uvloop", ["--uvloop"])].map { name, options in
            Peer(
                name: name,
                means: .process(executable: python, arguments: ["-B", script] + options),
                concurrencies: Self.usualConcurrencies
            )
        }
    }
}
