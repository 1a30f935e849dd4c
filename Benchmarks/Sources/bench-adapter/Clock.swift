// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc

/// Wall and CPU time of the measured part, all threads together.
struct Stopwatch: Sendable {
    private let wall: Double
    private let user: Double
    private let system: Double

    init() {
        wall = Stopwatch.now
        (user, system) = Stopwatch.cpu
    }

    static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private static var cpu: (Double, Double) {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        return (seconds(usage.ru_utime), seconds(usage.ru_stime))
    }

    func stop(_ report: inout Report, n: Int, ok: Bool, bytes: Int? = nil) {
        let (user, system) = Stopwatch.cpu
        let elapsed = Stopwatch.now - wall
        report.add("ok", ok)
        report.add("wall_s", elapsed)
        report.add("user_s", user - self.user)
        report.add("sys_s", system - self.system)
        report.add("maxrss_kb", memory("VmHWM:"))
        report.add("rate", bytes.map { Double($0) / elapsed / 1e6 } ?? Double(n) / elapsed)
        report.add("rate_unit", bytes == nil ? "op/s" : "MB/s")
        report.add("cpu_us_per_op", (user - self.user + system - self.system) / Double(max(n, 1)) * 1e6)
    }
}

/// A line of `/proc/self/status` in KiB.
func memory(_ name: String) -> Int {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    for line in status.split(separator: "\n") where line.hasPrefix(name) {
        return line.split(separator: " ").compactMap { Int($0) }.first ?? 0
    }
    return 0
}
