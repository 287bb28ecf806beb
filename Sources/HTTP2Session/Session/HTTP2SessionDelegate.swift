// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// What a session tells its owner, on the owner's thread, while it receives and, of closed streams, while it writes.
///
/// Pointers are valid during the call only. Submitting, resetting and going away are allowed from
/// within; receiving and writing are not.
public protocol HTTP2SessionDelegate: AnyObject {
    /// A header block begins: a request on a server; on a client a response, one of status 1xx before it, or
    /// trailers after it. Trailers of a request are not reported.
    func session(_ session: HTTP2Session, didBeginHeadersOn stream: HTTP2Stream)

    /// One field of the block, pseudo-header fields first. Names are lower-case.
    func session(
        _ session: HTTP2Session,
        didReceiveField name: UnsafeBufferPointer<UInt8>,
        value: UnsafeBufferPointer<UInt8>,
        on stream: HTTP2Stream
    )

    /// The block is complete. With `endStream` the peer sends nothing more on this stream.
    func session(_ session: HTTP2Session, didEndHeadersOn stream: HTTP2Stream, endStream: Bool)

    /// A piece of the body.
    func session(_ session: HTTP2Session, didReceiveData bytes: UnsafeRawBufferPointer, on stream: HTTP2Stream)

    /// The peer has ended the stream after a body.
    func session(_ session: HTTP2Session, didEndDataOn stream: HTTP2Stream)

    /// The stream is closed and its slot free after this call. `noError` only after a complete exchange: a peer
    /// that resets with `NO_ERROR` before that is reported as `cancel`.
    func session(_ session: HTTP2Session, didClose stream: HTTP2Stream, code: HTTP2ErrorCode)

    /// The peer announced settings; ``HTTP2Session/remoteMaximumConcurrentStreams`` is up to date.
    func sessionDidReceiveSettings(_ session: HTTP2Session)

    /// The peer takes no more streams; those above `lastStreamID` were not processed.
    func session(
        _ session: HTTP2Session,
        didReceiveGoAway lastStreamID: Int32,
        code: HTTP2ErrorCode,
        debugData: UnsafeRawBufferPointer
    )

    /// The answer to a PING of ours has come.
    func sessionDidReceivePingAcknowledgement(_ session: HTTP2Session)
}
