// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsClient
import Testing

@Suite("How long answers take")
struct AnswerTimesTests {
    @Test(
        "is counted in the first bucket whose bound it does not exceed",
        arguments: [
            (-5, 0), (0, 0), (1_000_000, 0), (1_000_001, 1), (2_000_000, 1), (2_000_001, 2), (4_000_000, 2),
            (16_384_000_000, 14), (16_384_000_001, 15), (.max, 15),
        ] as [(Int64, Int)]
    )
    func buckets(nanoseconds: Int64, bucket: Int) {
        var times = ResponseTimeHistogram()
        #expect(times.isEmpty)
        times.add(nanoseconds: nanoseconds)
        times.add(nanoseconds: nanoseconds)
        #expect(!times.isEmpty)
        #expect(times.buckets == (0..<16).map { $0 == bucket ? 2 : 0 })
        if bucket < 15 { #expect(.nanoseconds(nanoseconds) <= ResponseTimeHistogram.bounds[bucket]) }
    }
}
