// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import NIOCore
import PushModel

/// The parsed lines of a device file that are not stored yet, and the pending response lines: a pure value.
struct PendingImportChunk {
    /// The registrations to store next.
    private(set) var registrations: [DeviceRegistration] = []

    /// The number of the last line that was read.
    private(set) var lines = 0

    /// How many lines were refused.
    private(set) var refused = 0

    var answers = ByteBuffer()
    private let app: App
    private let format: DeviceFileFormat
    private let mapping: ColumnMapping?
    private let lineLimit: Int

    /// How many lines are not read, because an earlier import stored them.
    private let skippedLines: Int
    private var columns: CSVColumns?
    private var gathered = 0

    init(
        app: App,
        format: DeviceFileFormat,
        mapping: ColumnMapping? = nil,
        lineLimit: Int,
        skippedLines: Int = 0
    ) {
        self.app = app
        self.format = format
        self.mapping = mapping
        self.lineLimit = lineLimit
        self.skippedLines = skippedLines
    }

    /// Whether the parsed lines must be stored before more are parsed.
    var isFull: Bool {
        self.registrations.count >= ImportLimits.chunkDevices || self.gathered >= ImportLimits.chunkBytes
    }

    /// Reads a line; one that is wrong is refused.
    ///
    /// - Throws: ``Problem`` when the line is the one with the names of the columns, and is wrong.
    mutating func read(_ line: LineBuffer.Line, of bytes: [UInt8], now: Date) throws(Problem) {
        let number = self.lines + 1
        guard case .text(let range) = line else {
            self.lines = number
            if number <= self.skippedLines, !self.isHeader { return }
            let problem = Problem.lineTooLong(limit: self.lineLimit)
            guard !self.isHeader else { throw problem }
            return self.refuse(number, problem)
        }
        self.lines += 1
        let text = bytes[range]
        if self.format == .csv {
            // A record may hold line feeds in quotation marks; it is known by the number of its first line.
            self.lines += text.count { $0 == UInt8(ascii: "\n") }
        }
        guard !text.allSatisfy({ [0x20, 0x09, 0x0D].contains($0) }) else { return }
        if self.isHeader {
            self.columns = try CSVColumns(header: text, format: self.format, mapping: self.mapping)
            return
        }
        guard number > self.skippedLines else { return }
        do {
            let line = try DeviceFileRecord(try self.columns?.json(text) ?? Array(text))
            self.registrations.append(line.registration(of: self.app, now: now))
            self.gathered += text.count
        } catch {
            self.refuse(number, error)
        }
    }

    /// Removes the registrations, because they are stored.
    mutating func stored() {
        self.registrations.removeAll(keepingCapacity: true)
        self.gathered = 0
    }

    /// Nothing more comes.
    ///
    /// - Throws: ``Problem`` when a file with columns does not even have their names.
    func finish() throws(Problem) {
        guard self.isHeader else { return }
        let rule = "a first line with the names of the columns"
        throw Problem(.invalidRequest, at: FieldPath(description: "header"), expected: rule, got: "nothing")
    }

    private var isHeader: Bool { self.format != .ndjson && self.columns == nil }

    private mutating func refuse(_ number: Int, _ problem: Problem) {
        self.refused += 1
        ImportResponseWriter.rejected(number, problem, to: &self.answers)
    }
}
