// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import CNghttp2

/// Fields laid out for libnghttp2, in memory of their own.
struct NativeFields: ~Copyable {
    let vectors: UnsafeMutablePointer<nghttp2_nv>
    let count: Int
    private let text: UnsafeMutablePointer<UInt8>

    init(_ fields: [HeaderField]) {
        self.count = fields.count
        self.vectors = .allocate(capacity: max(1, fields.count))
        self.text = .allocate(capacity: max(1, fields.reduce(0) { $0 + $1.name.count + $1.value.count }))
        var used = 0
        for (index, field) in fields.enumerated() {
            let name = self.text + used
            name.initialize(from: field.name, count: field.name.count)
            let value = name + field.name.count
            value.initialize(from: field.value, count: field.value.count)
            used += field.name.count + field.value.count
            let flags = field.isIndexed ? NGHTTP2_NV_FLAG_NONE : NGHTTP2_NV_FLAG_NO_INDEX
            (self.vectors + index).initialize(
                to: nghttp2_nv(
                    name: name,
                    value: value,
                    namelen: field.name.count,
                    valuelen: field.value.count,
                    flags: UInt8(flags.rawValue)
                )
            )
        }
    }

    deinit {
        self.vectors.deallocate()
        self.text.deallocate()
    }
}
