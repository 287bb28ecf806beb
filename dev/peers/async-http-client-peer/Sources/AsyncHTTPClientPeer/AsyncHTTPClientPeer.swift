// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation

/// Sends the notifications of a job through AsyncHTTPClient, and says on one line of JSON how that went.
///
/// Its only argument is the path of the job.
@main
enum AsyncHTTPClientPeer {
    static func main() async throws {
        guard CommandLine.arguments.count == 2 else {
            FileHandle.standardError.write(Data("usage: AsyncHTTPClientPeer JOB.json\n".utf8))
            exit(2)
        }
        let job = try Job(path: CommandLine.arguments[1])
        let notifications = try job.readNotifications()
        let sender = try Sender(job: job)
        let cpu = ProcessUsage.cpuSeconds
        let start = ContinuousClock.now
        let refusals = await sender.send(notifications, concurrency: job.concurrency)
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        let cpuSeconds = ProcessUsage.cpuSeconds - cpu
        try await sender.close()
        let report = Report(
            sent: notifications.count,
            accepted: notifications.count - refusals.count,
            refusal: refusals.first,
            seconds: seconds,
            cpuSeconds: cpuSeconds,
            peakMiB: ProcessUsage.peakMiB
        )
        FileHandle.standardOutput.write(try JSONEncoder().encode(report) + Data("\n".utf8))
    }
}
