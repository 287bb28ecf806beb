// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import APNs
import Foundation
package import PushModel

/// The listener for clients of apns-proxy-server, and its limits.
package struct ProxyConfiguration: Hashable, Sendable {
    /// The app of an `appid`.
    package struct Application: Hashable, Sendable {
        package var app: AppID

        /// The environment of its tokens; `nil` means the default environment of the app.
        package var environment: APNsEnvironment?

        package init(app: AppID, environment: APNsEnvironment? = nil) {
            self.app = app
            self.environment = environment
        }
    }

    /// The address to listen on: an IP address of this machine.
    package var host: String

    /// The port for requests, 0...65535; 0 lets the system choose one.
    package var port: Int

    /// The port for messages without a response, 0...65535; `nil` means the one after ``port``.
    package var pullPort: Int?

    /// The known values of `appid`; `nil` means that each `appid` is the ID of an app.
    package var applications: [String: Application]?

    /// How long messages are gathered before they are stored, if the store is idle.
    ///
    /// Default: 5 milliseconds.
    package var gatherTime: Duration = .milliseconds(5)

    /// How many messages are stored together; below ``Batch/maximumTargets``, because requests come in addition.
    ///
    /// Default: 9,000.
    package var maximumPushes = 9000

    /// How many bytes of messages are stored together; with more, no others are read.
    ///
    /// Default: 16 MiB.
    package var maximumChunkBytes = 16 << 20

    /// How many requests may wait for their response; then no others are read.
    ///
    /// Default: 1,000.
    package var maximumRequests = 1000

    /// The longest message, in bytes; libzmq closes the connection of a client that sends a longer one.
    ///
    /// Default: 64 KiB, several times Apple's largest payload with every character escaped.
    package var maximumMessageBytes = 64 << 10

    /// How many messages of each connection are queued in memory; then they wait at the client.
    ///
    /// Default: 1,000, as libzmq has it.
    package var queueLimit = 1000

    /// How many tokens a feedback response has at most: those of the latest failed targets, then those of devices.
    ///
    /// Default: 100,000, about 8 MiB.
    package var maximumFeedbackTokens = 100_000

    package init(host: String = "127.0.0.1", port: Int) {
        self.host = host
        self.port = port
    }
}
