// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Metrics
import Synchronization

/// All series of one metric.
struct MetricFamily {
    enum Series: Sendable {
        case counter(CounterSeries)
        case gauge(GaugeSeries)
        case histogram(Histogram)
    }

    let kind: MetricKind
    var series: [LabelSet: Series] = [:]

    init(_ kind: MetricKind) {
        self.kind = kind
    }
}

/// The labels of a series, in the order of their names.
struct LabelSet: Hashable, Sendable {
    struct Label: Hashable, Sendable {
        let name: String
        let value: String
    }

    let labels: [Label]

    /// Takes dimensions; names that the format does not know are changed into others, and each is there once.
    init(_ dimensions: [(String, String)], maximumBytes: Int) {
        var seen: Set<String> = []
        self.labels =
            dimensions
            .map { Label(name: MetricName.label($0.0), value: Self.cut($0.1, to: maximumBytes)) }
            .filter { seen.insert($0.name).inserted }
            .sorted { $0.name < $1.name }
    }

    private init(labels: [Label]) {
        self.labels = labels
    }

    /// The same labels, all with the value `overflow`.
    var overflow: LabelSet { LabelSet(labels: self.labels.map { Label(name: $0.name, value: "overflow") }) }

    /// Cuts a value between two characters.
    private static func cut(_ value: String, to maximumBytes: Int) -> String {
        guard value.utf8.count > maximumBytes else { return value }
        var cut = ""
        var room = maximumBytes
        for character in value {
            room -= character.utf8.count
            guard room >= 0 else { break }
            cut.append(character)
        }
        return cut
    }
}

/// A number that only ever grows; counting is one atomic addition.
final class CounterSeries: CounterHandler {
    private let count = Atomic<Int64>(0)

    var value: Int64 { self.count.load(ordering: .relaxed) }

    func increment(by amount: Int64) {
        self.count.wrappingAdd(amount, ordering: .relaxed)
    }

    func reset() {
        self.count.store(0, ordering: .relaxed)
    }
}

/// A number that is set; setting it is one atomic store.
final class GaugeSeries: MeterHandler, RecorderHandler {
    private let bits = Atomic<UInt64>(0)

    var value: Double { Double(bitPattern: self.bits.load(ordering: .relaxed)) }

    func set(_ value: Int64) { self.set(Double(value)) }

    func set(_ value: Double) { self.bits.store(value.bitPattern, ordering: .relaxed) }

    func increment(by amount: Double) {
        var old = self.bits.load(ordering: .relaxed)
        while true {
            let new = (Double(bitPattern: old) + amount).bitPattern
            let result = self.bits.weakCompareExchange(expected: old, desired: new, ordering: .relaxed)
            if result.exchanged { return }
            old = result.original
        }
    }

    func decrement(by amount: Double) { self.increment(by: -amount) }

    // A recorder that does not aggregate shows its last value.

    func record(_ value: Int64) { self.set(value) }

    func record(_ value: Double) { self.set(value) }
}
