// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import NIOCore
import PushModel

/// A header of the PROXY protocol, version 1 or 2, with which a proxy begins a connection.
///
/// See <https://www.haproxy.org/download/2.9/doc/proxy-protocol.txt>.
struct ProxyHeader: Hashable, Sendable {
    /// The longest header that is accepted; it has room for the values that proxies add to version 2.
    static let maximumBytes = 4096

    /// The longest header of version 1, with its end.
    private static let maximumTextBytes = 107

    private static let signature: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A]

    /// The address of the client; `nil` for a connection of the proxy itself, and for one that is not of IP.
    let client: NetworkAddress?

    /// The number of bytes of the header.
    let length: Int

    enum Result: Hashable {
        case header(ProxyHeader)

        /// More bytes are required.
        case incomplete

        /// The bytes are not a header.
        case invalid
    }

    /// Reads the header at the start of a connection.
    static func read(_ bytes: ByteBufferView) -> Result {
        let start = bytes.prefix(self.signature.count)
        if start.elementsEqual(self.signature.prefix(start.count)) {
            guard start.count == self.signature.count else { return .incomplete }
            return self.readBinary(Array(bytes.prefix(self.maximumBytes)))
        }
        return self.readText(Array(bytes.prefix(self.maximumTextBytes)))
    }

    private static func readText(_ bytes: [UInt8]) -> Result {
        guard bytes.prefix(6).elementsEqual("PROXY ".utf8.prefix(bytes.count)) else { return .invalid }
        guard let end = bytes.firstIndex(of: 0x0D) else {
            return bytes.count < self.maximumTextBytes ? .incomplete : .invalid
        }
        guard end + 1 < bytes.count else { return end + 1 < self.maximumTextBytes ? .incomplete : .invalid }
        guard bytes[end + 1] == 0x0A else { return .invalid }
        let line = String(decoding: bytes[..<end], as: UTF8.self)
        let words = line.split(separator: " ", omittingEmptySubsequences: false)
        let length = end + 2
        if words.count >= 2, words[1] == "UNKNOWN" { return .header(ProxyHeader(client: nil, length: length)) }
        guard words.count == 6, let width = ["TCP4": 4, "TCP6": 16][words[1]],
            let client = NetworkAddress(String(words[2])), client.bytes.count == width,
            NetworkAddress(String(words[3]))?.bytes.count == width, UInt16(words[4]) != nil, UInt16(words[5]) != nil
        else { return .invalid }
        return .header(ProxyHeader(client: client, length: length))
    }

    /// Reads version 2: after the signature, version and command, family, the length of the rest, and the addresses.
    private static func readBinary(_ bytes: [UInt8]) -> Result {
        let head = self.signature.count + 4
        guard bytes.count >= head else { return .incomplete }
        let (command, family) = (bytes[12], bytes[13])
        let rest = Int(bytes[14]) << 8 | Int(bytes[15])
        let length = head + rest
        guard command == 0x20 || command == 0x21, length <= self.maximumBytes else { return .invalid }
        guard bytes.count >= length else { return .incomplete }
        // A local connection has no address that counts.
        guard command == 0x21 else { return .header(ProxyHeader(client: nil, length: length)) }
        let width: Int
        switch family >> 4 {
        case 0x0: return .header(ProxyHeader(client: nil, length: length))
        case 0x1: width = 4
        case 0x2: width = 16
        case 0x3: return .header(ProxyHeader(client: nil, length: length))
        default: return .invalid
        }
        // Both addresses and both ports.
        guard rest >= 2 * width + 4 else { return .invalid }
        let words = bytes[head..<head + width]
        let text =
            width == 4
            ? words.map { String($0) }.joined(separator: ".")
            : stride(from: head, to: head + 16, by: 2)
                .map { String(Int(bytes[$0]) << 8 | Int(bytes[$0 + 1]), radix: 16) }.joined(separator: ":")
        guard let client = NetworkAddress(text) else { return .invalid }
        return .header(ProxyHeader(client: client, length: length))
    }
}

/// Reads the header of the PROXY protocol of one connection, and passes the rest on.
///
/// It closes a connection without a valid header. The other handlers learn the address of the client from an event.
final class ProxyHeaderHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// The header of the connection was read.
    struct HeaderRead: Sendable {
        /// The address of the client; `nil` if it is that of the proxy.
        let client: NetworkAddress?
    }

    /// The bytes before the end of the header; `nil` after it.
    private var pending: ByteBuffer? = ByteBuffer()

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard var bytes = self.pending else { return context.fireChannelRead(data) }
        bytes.writeImmutableBuffer(self.unwrapInboundIn(data))
        switch ProxyHeader.read(bytes.readableBytesView) {
        case .incomplete: self.pending = bytes
        case .invalid:
            self.pending = ByteBuffer()
            context.close(promise: nil)
        case .header(let header):
            self.pending = nil
            context.fireUserInboundEventTriggered(HeaderRead(client: header.client))
            bytes.moveReaderIndex(forwardBy: min(header.length, bytes.readableBytes))
            if bytes.readableBytes > 0 { context.fireChannelRead(self.wrapInboundOut(bytes)) }
        }
    }
}
