// SPDX-License-Identifier: Apache-2.0
import ChatKit
import Foundation
import XMPP

/// Fills a profile with very many messages and measures how fast it is; `Scripts/bench chatkit` drives it.
///
/// - `fill DIRECTORY MESSAGES`: makes the profile, through the way that pages of an archive take
/// - `measure DIRECTORY`: opens it, lists, pages, searches
/// - `ingest DIRECTORY MESSAGES [slow]`: takes pages of an archive in that are new; `slow`: each before the next one comes
/// - `presence DIRECTORY`: all contacts come online at once
///
/// Each prints one line of JSON.
@main
struct Scale {
    static func main() async {
        let arguments = CommandLine.arguments
        guard arguments.count >= 3 else {
            print("usage: apus-scale fill|measure|ingest|presence DIRECTORY [MESSAGES [slow]]")
            exit(2)
        }
        let count = arguments.count > 3 ? Int(arguments[3]) ?? 0 : 0
        let isSlow = arguments.count > 4 && arguments[4] == "slow"
        do {
            let figures: [String: Double] =
                switch arguments[1] {
                case "fill": try await Filling(directory: arguments[2]).fill(count)
                case "measure": try await Measuring.measure(directory: arguments[2])
                case "ingest": try await Filling(directory: arguments[2], isSlow: isSlow).ingest(count)
                case "presence": try await Measuring.presence(directory: arguments[2])
                default: [:]
                }
            let data = try JSONSerialization.data(withJSONObject: figures, options: [.sortedKeys])
            print(String(decoding: data, as: UTF8.self))
        } catch {
            print("failed: \(error)")
            exit(1)
        }
    }
}

/// Seconds that something took.
struct Stopwatch {
    private let start = ContinuousClock.now
    var seconds: Double { start.duration(to: .now) / .seconds(1) }
    var milliseconds: Double { seconds * 1000 }
}

/// Memory of this process in MiB, as the kernel counts it: now, and the most that it was.
enum Memory {
    static var now: Double { field("VmRSS:") }
    static var peak: Double { field("VmHWM:") }

    private static func field(_ name: String) -> Double {
        let text = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
        let number = line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first
        return (number.flatMap { Double($0) } ?? 0) / 1024
    }
}
