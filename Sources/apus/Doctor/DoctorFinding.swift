// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import CommandLineSupport

/// One result of a check of `apus doctor`.
struct DoctorFinding: Hashable, Sendable, Codable {
    /// The severity of a finding, in ascending order.
    ///
    /// Only an error changes the exit status.
    enum Severity: String, Hashable, Sendable, Codable, CaseIterable, Comparable {
        case ok
        /// The check did not run, or only in part.
        case skipped
        case warning
        case error

        static func < (left: Severity, right: Severity) -> Bool { left.rank < right.rank }

        private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
    }

    let severity: Severity

    /// The problem; for `ok` and `skipped`, the result of the check.
    ///
    /// Contains no secret.
    let problem: String

    /// The effect of the problem.
    var effect: String?

    /// How to fix it.
    var fix: String?

    static func ok(_ text: String) -> DoctorFinding { DoctorFinding(severity: .ok, problem: text) }

    static func skipped(_ text: String) -> DoctorFinding { DoctorFinding(severity: .skipped, problem: text) }

    static func warning(_ problem: String, effect: String, fix: String) -> DoctorFinding {
        DoctorFinding(severity: .warning, problem: problem, effect: effect, fix: fix)
    }

    static func error(_ problem: String, effect: String, fix: String) -> DoctorFinding {
        DoctorFinding(severity: .error, problem: problem, effect: effect, fix: fix)
    }

    /// A failure whose message has the problem in its first line, and may have the fix in the others.
    ///
    /// `fix` completes a message of one line.
    static func error(_ failure: any Error, effect: String, fix: String) -> DoctorFinding {
        let message = (failure as? CommandError)?.message ?? "\(failure)"
        let lines = message.split(whereSeparator: \.isNewline).map { $0.drop { $0 == " " } }
        let rest = lines.dropFirst().joined(separator: " ")
        return .error(String(lines.first ?? ""), effect: effect, fix: rest.isEmpty ? fix : rest)
    }
}

/// The results of all checks of `apus doctor`, as it prints them.
struct DoctorReport: Sendable, Codable {
    /// The findings of one check.
    struct Check: Sendable, Codable {
        let name: String

        /// The severity of the worst finding.
        let status: DoctorFinding.Severity
        let findings: [DoctorFinding]

        init(name: String, findings: [DoctorFinding]) {
            self.name = name
            self.status = findings.map(\.severity).max() ?? .ok
            self.findings = findings
        }
    }

    /// Whether no check found an error.
    let ok: Bool
    let checks: [Check]

    init(checks: [Check]) {
        self.ok = checks.allSatisfy { $0.status < .error }
        self.checks = checks
    }

    /// The report for people: one line for each check, and three more for each problem.
    var lines: [String] {
        let width = self.checks.map(\.name.count).max() ?? 0
        return self.checks.flatMap { check -> [String] in
            let name = check.name + String(repeating: " ", count: width - check.name.count)
            let problems = check.findings.filter { $0.severity >= .warning }
            let summary =
                problems.isEmpty ? check.findings.map(\.problem).joined(separator: "; ") : problems.count.problems
            return ["\(check.status.label)  \(name)  \(summary)"]
                + problems.flatMap { problem in
                    [
                        "      wrong:   \(problem.problem)", "      effect:  \(problem.effect ?? "")",
                        "      fix:     \(problem.fix ?? "")",
                    ]
                }
        }
    }
}

extension DoctorFinding.Severity {
    fileprivate var label: String {
        switch self {
        case .ok: "ok  "
        case .skipped: "skip"
        case .warning: "warn"
        case .error: "FAIL"
        }
    }
}

extension Int {
    fileprivate var problems: String { self == 1 ? "1 problem" : "\(self) problems" }
}
