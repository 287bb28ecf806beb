// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import CNghttp2

/// A server's limit of concurrent streams, announced and enforced.
extension HTTP2Session {
    /// Announces other settings while the connection is open; they bind the peer once acknowledged.
    ///
    /// - Parameters:
    ///   - maximumConcurrentStreams: how many streams the peer may have open at once; `nil` leaves it as it is.
    ///   - initialWindowSize: the window of each stream, also of those that are open, in bytes of 0...2^31-1; `nil`
    ///     leaves it as it is.
    public func submitSettings(maximumConcurrentStreams: UInt32?, initialWindowSize: UInt32? = nil) {
        var entries: [nghttp2_settings_entry] = []
        if let maximumConcurrentStreams {
            let value = self.grants == nil ? maximumConcurrentStreams : UInt32(clamping: self.limits.maximumOpenStreams)
            entries.append(nghttp2_settings_entry(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, value))
        }
        if let initialWindowSize {
            entries.append(nghttp2_settings_entry(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, initialWindowSize))
        }
        let flags = UInt8(NGHTTP2_FLAG_NONE.rawValue)
        guard nghttp2_submit_settings(self.pointer, flags, entries, entries.count) == 0 else { return }
        self.grants?.submit(maximumConcurrentStreams)
    }

    /// Judges a stream that the client opens; 0 lets it be served.
    func admitStream(_ id: Int32) -> Int32 {
        guard self.streams.count < self.limits.maximumOpenStreams else { return self.openStreamsExceeded() }
        guard let grants = self.grants else { return 0 }
        if self.streams.count >= Int(grants.acknowledged) {
            switch self.limits.streamExcess {
            case .protocolError, .serve: return 0
            case .refuse: return self.refuse(id)
            case .goAway(let code, let text): return self.goAwayForExcess(code, text, limit: grants.acknowledged)
            }
        }
        return self.streams.count >= Int(grants.announced) && self.limits.streamExcess != .serve ? self.refuse(id) : 0
    }

    private func refuse(_ id: Int32) -> Int32 {
        let flags = UInt8(NGHTTP2_FLAG_NONE.rawValue)
        nghttp2_submit_rst_stream(self.pointer, flags, id, HTTP2ErrorCode.refusedStream.rawValue)
        let counted = self.count("a stream beyond the limit")
        return counted == 0 ? Int32(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue) : counted
    }

    private func goAwayForExcess(_ code: HTTP2ErrorCode, _ text: String, limit: UInt32) -> Int32 {
        self.submitGoAway(code: code, debugData: Array(text.utf8))
        let message = "the peer opened more than the \(limit) streams that it was granted"
        self.terminate(HTTP2SessionError(code: .flood, message: message), code: code)
        return Self.stop
    }
}
