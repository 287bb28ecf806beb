// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation

/// Consecutive lines of a stream that were accepted, or rejected, together.
///
/// The chunks of a stream follow one another without gaps; the stream resumes after the last one.
public struct StreamChunk: Hashable, Sendable {
    /// How long a stream is remembered after its last chunk.
    public static let lifetime: Duration = .seconds(24 * 3600)

    public let stream: StreamID
    public let app: AppID

    /// The numbers of its lines, which count from 1; never empty.
    public let lines: Range<Int>

    /// The accepted notification; `nil` if no line was accepted.
    public let notification: NotificationID?

    /// The status of each line, as `StreamLineList` encodes it.
    public let entries: [UInt8]

    /// When it was accepted; kept to the millisecond.
    public let createdAt: Date

    public init(
        stream: StreamID,
        app: AppID,
        lines: Range<Int>,
        notification: NotificationID?,
        entries: [UInt8],
        createdAt: Date
    ) {
        self.stream = stream
        self.app = app
        self.lines = lines
        self.notification = notification
        self.entries = entries
        self.createdAt = createdAt
    }
}
