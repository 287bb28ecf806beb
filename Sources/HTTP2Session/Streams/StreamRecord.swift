// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The state of an open stream: the unsent part of its body, its windows, and the progress of the exchange.
struct StreamRecord {
    struct Progress: OptionSet {
        let rawValue: UInt16

        /// The stream is on the wire: its first HEADERS were sent or received.
        static let opened = Self(rawValue: 1 << 0)
        /// This side's HEADERS are on the wire.
        static let headersSent = Self(rawValue: 1 << 11)
        /// A request or a response was submitted.
        static let submitted = Self(rawValue: 1 << 1)
        /// This side has ended the stream.
        static let localEnded = Self(rawValue: 1 << 2)
        /// The peer has ended the stream.
        static let remoteEnded = Self(rawValue: 1 << 3)
        /// The owner or the peer has asked for the stream's end with RST_STREAM.
        static let reset = Self(rawValue: 1 << 4)
        /// RST_STREAM is pending; further frames are ignored.
        static let ending = Self(rawValue: 1 << 5)
        /// The request, or the final response, has come.
        static let final = Self(rawValue: 1 << 6)
        /// The request was HEAD.
        static let head = Self(rawValue: 1 << 7)
        /// DATA waits in the queue.
        static let dataQueued = Self(rawValue: 1 << 8)
        /// A WINDOW_UPDATE waits in the queue.
        static let windowQueued = Self(rawValue: 1 << 9)
        /// The owner is being notified that the stream is closed.
        static let closed = Self(rawValue: 1 << 10)
    }

    /// The maximum number of bytes after which other streams are served, even if the peer accepts larger frames.
    static let largestPiece = 16_384

    var id: Int32
    var progress: Progress = []
    /// Complete header blocks received.
    var headerBlocks: UInt16 = 0
    /// The code of the RST_STREAM that is to be written.
    var endCode = HTTP2ErrorCode.noError
    /// The number of body bytes that the peer accepts now; negative after it has reduced its windows.
    var sendWindow: Int
    /// The number of body bytes that the peer may send now.
    var receiveWindow: Int
    /// The number of bytes that it has sent since the last window update.
    var received = 0
    /// The rest of a body with a known length; `nil` without one.
    var contentLeft: Int?
    /// The next byte of the body to send.
    ///
    /// Borrowed from the owner, or within ``ownedBody``.
    var bodyCursor: UnsafeRawPointer?
    var bodyLeft = 0
    /// How many bytes of the body one DATA frame carries at most.
    var maximumPiece = Self.largestPiece
    /// A copy of the body that this record frees; `nil` when the body is borrowed.
    var ownedBody: UnsafeMutableRawPointer?
}

/// One open stream of a session.
///
/// `slot` is dense: it starts at zero, belongs to one open stream at a time, and is reused when that stream has closed.
/// An owner keeps the state of its streams in an array indexed by it.
public struct HTTP2Stream: Hashable, Sendable, BitwiseCopyable {
    /// The stream's identifier on the wire.
    ///
    /// Odd for streams that a client opened.
    public let id: Int32
    /// The stream's place in tables of its owner.
    public let slot: Int
}

/// The closed streams of a server on which the client may still send frames, and those that the client skipped.
///
/// The client has ended all others itself. Both lists are bounded. After more resets, frames on the oldest streams are
/// ignored; after more gaps, frames in the oldest gaps are errors of another code.
struct ClosedStreams {
    /// How a stream was closed.
    enum Ending {
        /// This side reset it before the client ended it: frames may be under way (RFC 9113 section 5.1).
        case reset
        /// The client never opened it, and opened a later one (RFC 9113 section 5.1.1).
        case skipped
        /// The client ended it with END_STREAM or RST_STREAM.
        case byClient
    }

    private static let maximumResets = 1024
    private static let maximumGaps = 64

    /// Streams that this side reset, oldest first.
    private var resets: [Int32] = []
    /// The highest stream that was dropped from ``resets``.
    private var highestForgotten: Int32 = 0
    /// Identifiers that the client skipped, oldest first.
    private var gaps: [ClosedRange<Int32>] = []

    /// Takes note that this side resets a stream that the client has not ended.
    mutating func addReset(_ id: Int32) {
        if self.resets.count == Self.maximumResets {
            // Half of them at once, so that the cost of a reset does not depend on earlier ones.
            let dropped = Self.maximumResets / 2
            self.highestForgotten = max(self.highestForgotten, self.resets[..<dropped].max() ?? 0)
            self.resets.removeFirst(dropped)
        }
        self.resets.append(id)
    }

    /// Takes note of the identifiers between two streams that the client opens one after the other.
    ///
    /// `previous` is 0 for the first stream.
    @inline(__always)
    mutating func open(_ id: Int32, after previous: Int32) {
        let next = (previous &+ 1) | 1
        if id > next { self.addGap(next...id &- 2) }
    }

    private mutating func addGap(_ gap: ClosedRange<Int32>) {
        if self.gaps.count == Self.maximumGaps { self.gaps.removeFirst() }
        self.gaps.append(gap)
    }

    /// How a closed stream was closed.
    func ending(of id: Int32) -> Ending {
        if self.gaps.contains(where: { $0.contains(id) }) { return .skipped }
        return id <= self.highestForgotten || self.resets.contains(id) ? .reset : .byClient
    }
}
