// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Synchronization

/// How much memory each process has had in each of its lives, second by second.
final class MemoryLives: Sendable {
    /// What one life came to.
    struct Life: Encodable, Equatable {
        /// How many samples there are, about one a second.
        var samples: Int
        /// The medians of its second and its last quarter, in MiB: the first quarter is for getting warm.
        var secondQuarter: Double
        var lastQuarter: Double
        /// Whether the last is no larger than noise explains.
        var isFlat: Bool

        private enum CodingKeys: String, CodingKey {
            case samples
            case secondQuarter = "second_quarter"
            case lastQuarter = "last_quarter"
            case isFlat = "flat"
        }

        /// - Parameter samples: one of each second, in MiB.
        init(samples: [Double]) {
            let quarter = samples.count / 4
            self.samples = samples.count
            self.secondQuarter = samples.dropFirst(quarter).prefix(quarter).median.rounded(toPlaces: 1)
            self.lastQuarter = samples.suffix(quarter).median.rounded(toPlaces: 1)
            self.isFlat = self.lastQuarter <= 1.25 * self.secondQuarter + 8
        }
    }

    /// A life of fewer samples is still getting warm in its second quarter.
    private static let judgedSamples = 100

    private let samples = Mutex<[String: [Double]]>([:])

    /// Takes one sample of each process that is up.
    func sample(_ fleet: SoakFleet) {
        for process in fleet.all {
            guard let (life, processID) = process.standing else { continue }
            let size = ProcessTable.residentMebibytes(of: processID)
            // It has ended, or the system has no such table.
            guard size > 0 else { continue }
            let name = life == 1 ? process.name : "\(process.name)#\(life)"
            self.samples.withLock { $0[name, default: []].append(size) }
        }
    }

    /// What each life that was long enough came to, by the name of the process and the number of the life.
    var lives: [String: Life] {
        self.samples.withLock { samples in
            samples.filter { $0.value.count >= Self.judgedSamples }.mapValues { Life(samples: $0) }
        }
    }
}
