// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation

/// The simulator's event feed of one device, used only as a notification of changes.
///
/// It reads the connection itself. On Linux `URLSession` polls the socket of a response that stays open in a loop, which
/// takes half a core for each app.
final class EventFeed: Sendable {
    private let control: URL
    private let device: String
    private let onChange: @Sendable () -> Void

    private struct State {
        var isStopped = false
        var socket: Int32?
    }

    private let state = Locked(State())

    init(control: URL, device: String, onChange: @escaping @Sendable () -> Void) {
        (self.control, self.device, self.onChange) = (control, device, onChange)
    }

    func start() { Thread.detachNewThread { self.follow() } }

    func stop() {
        self.state.with { state in
            state.isStopped = true
            // The thread that reads closes the socket.
            if let socket = state.socket { shutdown(socket, Int32(SHUT_RDWR)) }
        }
    }

    /// Reconnects 100 ms after the response ended or the connection failed.
    private func follow() {
        while !self.state.with({ $0.isStopped }) {
            if let socket = self.openSocket() {
                self.readEvents(socket)
                self.state.with { $0.socket = nil }
                close(socket)
            }
            Thread.sleep(forTimeInterval: 0.1)
        }
    }

    /// Reports a change for all bytes, those of the response's head included, because the feed can have missed earlier events.
    private func readEvents(_ socket: Int32) {
        let isStopped = self.state.with { state in
            state.socket = socket
            return state.isStopped
        }
        // Device IDs of the control API contain no spaces.
        let request = """
            GET \(self.control.path)/v1/events?device=\(self.device) HTTP/1.1\r
            Host: \(self.control.host ?? ""):\(self.control.port ?? 80)\r
            Connection: close\r
            \r

            """
        guard !isStopped, send(socket, request, request.utf8.count, Int32(MSG_NOSIGNAL)) == request.utf8.count
        else { return }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(socket, &bytes, bytes.count)
            if count > 0 { self.onChange() } else if count == 0 || errno != EINTR { return }
        }
    }

    private func openSocket() -> Int32? {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(self.control.host, "\(self.control.port ?? 80)", &hints, &list) == 0 else { return nil }
        defer { freeaddrinfo(list) }
        var next = list
        while let address = next?.pointee {
            let type = address.ai_socktype | Int32(SOCK_CLOEXEC.rawValue)
            let socket = socket(address.ai_family, type, address.ai_protocol)
            if socket >= 0, connect(socket, address.ai_addr, address.ai_addrlen) == 0 { return socket }
            if socket >= 0 { close(socket) }
            next = address.ai_next
        }
        return nil
    }
}
