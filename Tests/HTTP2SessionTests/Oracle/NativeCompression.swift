// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import CNghttp2

/// libnghttp2's HPACK encoder.
final class NativeDeflater {
    private var pointer: OpaquePointer?

    init() {
        nghttp2_hd_deflate_new(&self.pointer, 4096)
    }

    deinit {
        nghttp2_hd_deflate_del(self.pointer)
    }

    func changeTableSize(to size: Int) {
        nghttp2_hd_deflate_change_table_size(self.pointer, size)
    }

    func block(_ fields: [HeaderField]) -> [UInt8] {
        let native = NativeFields(fields)
        let bound = nghttp2_hd_deflate_bound(self.pointer, native.vectors, native.count)
        return [UInt8](unsafeUninitializedCapacity: bound + 64) { buffer, count in
            let length = nghttp2_hd_deflate_hd(
                self.pointer,
                buffer.baseAddress,
                buffer.count,
                native.vectors,
                native.count
            )
            count = max(0, length)
        }
    }
}

/// libnghttp2's HPACK decoder.
final class NativeInflater {
    private var pointer: OpaquePointer?

    init() {
        nghttp2_hd_inflate_new(&self.pointer)
    }

    deinit {
        nghttp2_hd_inflate_del(self.pointer)
    }

    func changeTableSize(to size: Int) {
        nghttp2_hd_inflate_change_table_size(self.pointer, size)
    }

    /// The fields of a block; `nil` when it cannot be decoded.
    func fields(of block: [UInt8]) -> [HeaderField]? {
        var fields: [HeaderField] = []
        var rest = block
        while true {
            var field = nghttp2_nv()
            var flags: Int32 = 0
            let taken = nghttp2_hd_inflate_hd2(self.pointer, &field, &flags, rest, rest.count, 1)
            guard taken >= 0 else { return nil }
            rest.removeFirst(taken)
            if UInt32(flags) & NGHTTP2_HD_INFLATE_EMIT.rawValue != 0 {
                fields.append(
                    HeaderField(
                        name: UnsafeBufferPointer(start: field.name, count: field.namelen),
                        value: UnsafeBufferPointer(start: field.value, count: field.valuelen)
                    )
                )
            }
            if UInt32(flags) & NGHTTP2_HD_INFLATE_FINAL.rawValue != 0 { break }
            if UInt32(flags) & NGHTTP2_HD_INFLATE_EMIT.rawValue == 0, rest.isEmpty { break }
        }
        nghttp2_hd_inflate_end_headers(self.pointer)
        return fields
    }
}
