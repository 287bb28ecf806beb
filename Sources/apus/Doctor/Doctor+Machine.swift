// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import CommandLineSupport
import Foundation

extension Doctor {
    /// Whether this user can write in the data directory, and no other user can read it.
    func checkDataDirectory() -> [DoctorFinding] {
        let path = self.configuration.data
        let noStart = "The server does not start: it keeps its database or master key there."
        let files = FileManager.default
        var isDirectory = ObjCBool(false)
        guard files.fileExists(atPath: path, isDirectory: &isDirectory) else {
            guard !self.canBeCreated(path) else {
                return [.ok("\(path) does not exist yet; the first start creates it")]
            }
            let problem = "The data directory \(path) does not exist, and this user cannot create it."
            let fix = "Create it for the user of the server (mode 0700), or name another one: --data DIR"
            return [.error(problem, effect: noStart, fix: fix)]
        }
        guard isDirectory.boolValue else {
            let problem = "\(path) is a file. Expected the data directory."
            return [.error(problem, effect: noStart, fix: "Name a directory: --data DIR")]
        }
        guard files.isWritableFile(atPath: path), files.isExecutableFile(atPath: path) else {
            let problem = "This user cannot write in the data directory \(path)."
            let fix =
                "Run this as the user of the server. If it is that user, give it the directory: chown -R USER \(path)"
            return [.error(problem, effect: noStart, fix: fix)]
        }
        var findings = DataDirectory.exposed(path).map { exposed in
            DoctorFinding.warning(
                "Other users can use \(exposed.path) (mode \(exposed.mode)).",
                effect: "They may read device tokens and the master key. A start of the server corrects the mode.",
                fix: "Run: chmod go= \(exposed.path)"
            )
        }
        let database = LocalStore.path(in: path)
        if self.configuration.storeURL == nil, files.fileExists(atPath: database),
            !files.isWritableFile(atPath: database)
        {
            let fix = "Give the user of the server write access: chmod 600 \(database), or chown it."
            findings.append(.error("This user cannot write the database \(database).", effect: noStart, fix: fix))
        }
        return findings.isEmpty ? [.ok("\(path) belongs to this user alone")] : findings
    }

    /// Whether the closest parent that exists is a directory in which this user can write.
    private func canBeCreated(_ path: String) -> Bool {
        var parent = URL(fileURLWithPath: path).absoluteURL.deletingLastPathComponent()
        while parent.path != "/", !FileManager.default.fileExists(atPath: parent.path) {
            parent.deleteLastPathComponent()
        }
        return FileManager.default.isWritableFile(atPath: parent.path)
    }

    /// Whether the file system of the data directory has space for a database that grows.
    func checkDiskSpace() -> [DoctorFinding] {
        guard self.configuration.storeURL == nil else { return [.ok("the database is not on this machine's disk")] }
        let path = self.configuration.data
        let place = FileManager.default.fileExists(atPath: path) ? path : "."
        let attributes = try? FileManager.default.attributesOfFileSystem(forPath: place)
        guard let free = (attributes?[.systemFreeSize] as? NSNumber)?.int64Value else {
            return [.skipped("the file system of \(path) does not report its free space")]
        }
        let mebibytes = free >> 20
        let problem = "The file system of \(path) has \(mebibytes) MiB of free space."
        let fix = "Free space, or move the data directory to a larger file system."
        let effect = "When the disk is full, requests that store something fail with the problem store_full."
        switch mebibytes {
        case ..<64: return [.error(problem, effect: effect, fix: fix)]
        case ..<512: return [.warning(problem, effect: effect, fix: fix)]
        default: return [.ok("\(mebibytes) MiB of free space")]
        }
    }

    /// The lowest limit of open files with which a process works under load.
    private static let leastFiles = 1024

    /// Whether the limit of open files suffices for the configured connections.
    func checkOpenFiles() -> [DoctorFinding] {
        let limit = FileDescriptorLimit.highestLimit
        let processors = ProcessInfo.processInfo.activeProcessorCount
        let connections = FileDescriptorLimit.connections(within: limit, processors: processors)
        let wanted = self.configuration.maxConnections
        let fix =
            "Raise the hard limit: LimitNOFILE= in the systemd unit, --ulimit nofile= for a container, or ulimit -Hn"
        guard limit >= Self.leastFiles else {
            return [
                .error(
                    "A process can have at most \(limit) open files. Expected \(Self.leastFiles) or more.",
                    effect:
                        "The API accepts only \(connections) connections, and files and other sockets fail to open.",
                    fix: fix
                )
            ]
        }
        guard connections >= wanted else {
            return [
                .warning(
                    "A process can have at most \(limit) open files, too few for `maxConnections` (\(wanted)).",
                    effect: "The API accepts only \(connections) connections at once.",
                    fix: "\(fix). Or lower `maxConnections`."
                )
            ]
        }
        return [.ok("\(limit) open files at most")]
    }
}
