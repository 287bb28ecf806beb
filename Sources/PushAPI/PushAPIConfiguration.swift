// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import Metrics
import NIOCore
package import PushModel
package import PushStore
package import SNSProtocol
import Synchronization
import Topics

/// The listener of the HTTP API, and its limits.
package struct PushAPIConfiguration: Hashable, Sendable {
    /// The address to listen on: a host name or an IP address.
    ///
    /// Default: `127.0.0.1`.
    package var host = "127.0.0.1"

    /// The port to listen on, 0...65535; 0 lets the system choose one.
    ///
    /// Default: 8080.
    package var port = 8080

    /// Holds the leases of this process.
    ///
    /// Default: a new one.
    package var worker = WorkerID.unique()

    /// The version of the program, as `GET /` returns it.
    ///
    /// Default: `nil`, which omits it.
    package var version: String?

    /// How many connections clients may have, and how long they may take.
    package var connections = ConnectionLimits()

    /// The largest body of a request to send, in bytes.
    ///
    /// Default: 16 MiB, room for 100,000 tokens of 80 bytes.
    package var maximumNotificationBodyBytes = 16 << 20

    /// The largest body of a batch of notifications with a payload each, in bytes.
    ///
    /// Default: 48 MiB, room for 10,000 payloads of 4 KiB.
    package var maximumBatchBodyBytes = 48 << 20

    /// The largest body of every other request, in bytes.
    ///
    /// Default: 64 KiB.
    package var maximumBodyBytes = 64 << 10

    /// The limits of a stream of notifications.
    package var stream = StreamLimits()

    /// The limits of calls that count the devices of an audience.
    ///
    /// Default: 32, 8 for each key, 15 minutes.
    package var estimates = CallLimits(total: 32, perKey: 8, deadline: .seconds(900))

    /// The limits of exports of devices.
    ///
    /// Default: 16, 4 for each key, 24 hours.
    package var exports = CallLimits(total: 16, perKey: 4, deadline: .seconds(86_400))

    /// The limits of imports of devices, which end when their client is idle.
    ///
    /// Default: 32, 8 for each key.
    package var imports = CallLimits(total: 32, perKey: 8)

    /// The limits of live streams of events and of the progress of campaigns, which end when their client does not read.
    ///
    /// Default: 512, 64 for each key.
    package var feeds = CallLimits(total: 512, perKey: 64)

    /// The maximum number of requests per second of one API key without the scope `admin`; as many may come at once.
    ///
    /// Default: `nil`, no limit.
    package var keyRequestsPerSecond: Int?

    /// The limits of one resend.
    package var resend = ResendLimits()

    /// How long a request with `?wait=true` waits for the outcomes before it answers 202.
    ///
    /// Default: 30 seconds.
    package var maximumWait: Duration = .seconds(30)

    /// The maximum numbers of priority-10 pushes per device and Live Activity in one hour, for changes through this
    /// API.
    ///
    /// Default: 60, and 3600 if the user allows frequent updates.
    package var activityLimits = PushBudget.Limits()

    /// The interval at which a waiting request polls the store.
    ///
    /// Default: 1 second. Settlements of this process wake the request immediately; the poll is for those of other
    /// processes.
    package var recheckInterval: Duration = .seconds(1)

    /// The interval of progress events of a campaign.
    ///
    /// Default: 1 second.
    package var progressInterval: Duration = .seconds(1)

    /// How long a key or an app that was read from the store is believed.
    ///
    /// Range: 0 to 1 second; more counts as 1. Default: 1 second. A revocation by another process, or the deletion of
    /// an app, counts after this time at the latest.
    package var keyLifetime: Duration = .seconds(1)

    /// Up to how many targets a request goes to the urgent lane unless it names one.
    ///
    /// Default: 1000.
    package var urgentTargetLimit = 1000

    /// How long notifications and campaigns are kept once every target has its outcome; `nil` for ever.
    ///
    /// Default: 30 days. Less than a day would be too little: so long streams and idempotency keys are remembered.
    package var notificationRetention: Duration? = .seconds(30 * 24 * 3600)

    /// How long events are kept.
    ///
    /// Default: 7 days.
    package var eventRetention: Duration = .seconds(7 * 24 * 3600)

    /// How many events of one app are kept at most.
    ///
    /// Default: 1,000,000.
    package var maximumEvents = 1_000_000

    /// How long entries of the audit log are kept; `nil` for ever.
    ///
    /// Default: 400 days.
    package var auditRetention: Duration? = .seconds(400 * 24 * 3600)

    /// How long devices are kept that do not register; `nil` for ever.
    ///
    /// Default: `nil`.
    package var inactiveDeviceRetention: Duration?

    /// How long devices are kept that APNs reported as unregistered; `nil` for ever.
    ///
    /// Default: `nil`.
    package var invalidDeviceRetention: Duration?

    /// How often something is written to a stream of events in which nothing happens.
    ///
    /// Default: 15 seconds, less than proxies wait. A reader that is gone is noticed by it.
    package var heartbeatInterval: Duration = .seconds(15)

    /// Whether webhooks may have `http` URLs, whose requests can be read and changed on the network.
    ///
    /// Default: `false`.
    package var allowsInsecureWebhooks = false

    /// Whether webhooks and HTTP subscriptions may name an address that is not on the public internet; host names are
    /// checked when a request is posted.
    ///
    /// Default: `false`, as for the requests.
    package var allowsPrivateNetworks = false

    /// The only directory that credentials in files are read from.
    ///
    /// Default: none, so callers cannot name files.
    package var credentialDirectory = CredentialDirectory(nil)

    package var sns = SNSConfiguration()

    /// To whom the console is served at `/console`; it needs a master key.
    ///
    /// Default: `.disabled`.
    package var console = ConsoleAudience.disabled

    /// Whether `/metrics` is served without a key; otherwise it asks for one with the scope `read` that is bound to no
    /// app.
    ///
    /// Default: `false`.
    package var metricsAreUnauthenticated = false

    package init() {}
}

/// Which browsers the console is served to.
package enum ConsoleAudience: Hashable, Sendable {
    case disabled

    /// Browsers of this machine, without a proxy in between.
    case loopback

    case all
}

/// The limits of a stream of notifications.
package struct StreamLimits: Hashable, Sendable {
    /// How many streams are served at once; another one is refused.
    ///
    /// Default: 256.
    package var maximumStreams = 256

    /// How many streams of one API key are served at once.
    ///
    /// Default: 64.
    package var maximumStreamsPerKey = 64

    /// The longest line, in bytes; a longer one is refused without being kept.
    ///
    /// Default: 16 KiB, several times Apple's largest payload.
    package var maximumLineBytes = 16 << 10

    /// How many lines are stored together.
    ///
    /// Range: 1...10,000. Default: 2,000.
    package var maximumChunkLines = 2000

    /// How many bytes of lines are stored together, if there are not as many lines sooner; a line adds 256 to its own.
    ///
    /// Default: 2 MiB.
    package var maximumChunkBytes = 2 << 20

    /// How long lines are gathered before they are stored, if there are not enough for a full chunk sooner.
    ///
    /// Default: 10 milliseconds.
    package var gatherTime: Duration = .milliseconds(10)

    /// The maximum number of lines of a stream whose outcomes the client has not received; then no more are read.
    ///
    /// Default: 20,000.
    package var maximumOpenLines = 20_000

    /// How long outcomes are waited for after the last line.
    ///
    /// Default: 5 minutes.
    package var patience: Duration = .seconds(300)

    /// How long a client is given to end its request after the server has ended the stream.
    ///
    /// Default: 2 seconds. Then the connection is closed.
    package var closingTime: Duration = .seconds(2)

    package init() {}
}

/// How the SNS endpoint is served.
package struct SNSConfiguration: Hashable, Sendable {
    /// Whether the endpoint is served.
    ///
    /// Default: `true`; it requires an access key.
    package var isEnabled = true

    /// The path at which it is served, beginning with `/`.
    ///
    /// Default: `/`. Clients sign the path, so that a proxy in between must leave it as it is.
    package var path = "/"

    /// The account in every ARN: 12 digits.
    ///
    /// Default: `000000000000`.
    package var account = "000000000000"

    /// The only region that requests may be signed for; `nil` accepts every region.
    ///
    /// There is one set of resources; ARNs in responses have the region of the request.
    ///
    /// Default: `nil`.
    package var region: String?

    /// The public URL of the endpoint, with its path: messages to HTTP subscriptions have it in the URL of the
    /// certificate and in the links that confirm and end a subscription.
    ///
    /// Default: `nil`. Then URLs can be subscribed only by callers on the same machine: the `Host` of a request is the
    /// caller's choice, and subscribers open the links.
    package var publicURL: String?

    /// The longest lifetime of a presigned request that is accepted, in seconds: 1...604,800.
    ///
    /// Default: 604,800 (7 days), the limit of AWS.
    package var maximumPresignedSeconds = 604_800

    /// Whether a session token in a request is ignored instead of refused.
    ///
    /// Default: `false`, because access keys have no session token.
    package var ignoresSessionToken = false

    /// How much a request may hold.
    ///
    /// Default: as SNS has it.
    package var limits = SNSLimits.sns

    package init() {}

    /// The largest body of a request: percent-encoding makes three bytes of one, and there are names beside the
    /// message.
    var maximumBodyBytes: Int { self.limits.messageBytes * 4 }
}
