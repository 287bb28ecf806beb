// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Neighbouring lines of a stream that were accepted, or refused, together.
///
/// The chunks of a stream follow one another without gap: where the last one ends, the stream is gone on with.
public struct StreamChunk: Hashable, Sendable {
    /// How long a stream is remembered after its last chunk.
    public static let lifetime: Duration = .seconds(24 * 3600)

    /// The stream.
    public let stream: StreamID

    /// The app to whose devices it sends.
    public let app: AppID

    /// The numbers of its lines, which count from 1; never empty.
    public let lines: Range<Int>

    /// What was accepted; `nil` when none of the lines was.
    public let notification: NotificationID?

    /// What became of each line, as `StreamLineList` encodes it.
    public let entries: [UInt8]

    /// When it was accepted; kept to the millisecond.
    public let createdAt: Date

    /// Describes lines that were accepted, or refused, together.
    ///
    /// - Parameters:
    ///   - stream: the stream.
    ///   - app: the app to whose devices it sends.
    ///   - lines: the numbers of the lines, which count from 1.
    ///   - notification: what was accepted, or `nil`.
    ///   - entries: what became of each line.
    ///   - createdAt: when it was accepted.
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
