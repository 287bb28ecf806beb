// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import NIOCore
import PushModel
import Synchronization

/// The pending response lines of a stream, between the tasks that create them and the one that writes.
///
/// It is bounded by the number of open lines: a line is open from its parsing until its last response line was written
/// to the connection, and with too many open lines no more are read.
final class StreamOutputBuffer: Sendable {
    private struct State {
        var buffer = ByteBuffer()
        /// The memory that is reserved for the buffer, and for the bytes that are being written.
        var reserved = 0
        var writing = 0
        var tally = StreamCounts()
        var open = 0
        var answering = 0
        var isInputDone = false
        var end: StreamEndReason?
        var failure: (any Error)?
    }

    /// The next step of the one task that writes.
    enum Step {
        /// Write these bytes; they have the last response line of this number of lines.
        case write(ByteBuffer, answered: Int)

        case wait

        /// The last line was written.
        case finish

        /// The connection is broken.
        case fail(any Error)
    }

    /// Something is to be written.
    let wakes: AsyncStream<Void>

    /// A line was answered, for the one task that reads.
    let room: AsyncStream<Void>

    private let wake: AsyncStream<Void>.Continuation
    private let tellRoom: AsyncStream<Void>.Continuation
    private let limit: Int
    private let memory: BodyMemory.Share
    private let state = Mutex(State())

    init(limit: Int, memory: BodyMemory.Share) {
        self.limit = limit
        self.memory = memory
        (self.wakes, self.wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        (self.room, self.tellRoom) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    // MARK: Reading

    /// Whether another line may be read now.
    var hasRoom: Bool { self.state.withLock { $0.open < self.limit } }

    /// A line was read.
    func openLine() {
        self.state.withLock { state in
            state.open += 1
            state.tally.linesRead += 1
        }
    }

    /// Lines of an earlier connection, whose outcomes are wanted again.
    func reopen(_ count: Int) {
        self.state.withLock { state in
            state.open += count
            state.tally.pending += count
        }
    }

    /// There may be room again for another reason than an answer.
    func signalRoom() {
        self.tellRoom.yield()
    }

    // MARK: Answering

    /// Adds answers.
    ///
    /// `write` writes and counts them. `answering` is the number of lines whose last answer is among them.
    func append(answering: Int = 0, _ write: (inout ByteBuffer, inout StreamCounts) -> Void) {
        self.state.withLock { state in
            guard state.end == nil else { return }
            let before = state.buffer.readableBytes
            write(&state.buffer, &state.tally)
            // Beyond the limit too: without memory, no more lines are read, so no more are answered.
            let bytes = state.buffer.readableBytes - before
            self.memory.take(bytes)
            state.reserved += bytes
            state.answering += answering
        }
        self.wake.yield()
    }

    /// Every line that was read is stored or refused; with the last outcome the stream is complete.
    func inputDone() {
        self.state.withLock { $0.isInputDone = true }
        self.wake.yield()
    }

    /// Ends the stream with a last line, if it has not ended already.
    func end(_ end: StreamEndReason) {
        self.state.withLock { state in
            guard state.end == nil else { return }
            state.end = end
            StreamResponseWriter.end(end, state.tally, to: &state.buffer)
        }
        self.wake.yield()
    }

    /// Ends the stream because the client has disconnected.
    func fail(_ error: any Error) {
        self.state.withLock { $0.failure = $0.failure ?? error }
        self.wake.yield()
    }

    // MARK: Writing

    func next() -> Step {
        self.state.withLock { state in
            if let failure = state.failure { return .fail(failure) }
            if state.isInputDone, state.end == nil, state.open == state.answering {
                state.end = .completed
                StreamResponseWriter.end(.completed, state.tally, to: &state.buffer)
            }
            guard state.buffer.readableBytes > 0 else { return state.end == nil ? .wait : .finish }
            defer {
                state.writing += state.reserved
                state.reserved = 0
                state.buffer = ByteBuffer()
                state.answering = 0
            }
            return .write(state.buffer, answered: state.answering)
        }
    }

    /// Records that response lines were written, which complete this number of lines.
    func wrote(answered: Int) {
        let written = self.state.withLock { state in
            state.open -= answered
            defer { state.writing = 0 }
            return state.writing
        }
        self.memory.giveBack(written)
        self.tellRoom.yield()
    }
}
