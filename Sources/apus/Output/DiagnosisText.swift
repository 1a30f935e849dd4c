// SPDX-License-Identifier: Apache-2.0
import ChatAPI

/// The findings about a server as lines for people.
struct DiagnosisText: Sendable {
    let style: Style

    func lines(_ diagnosis: Diagnosis) -> [String] {
        var lines = [style.paint(Plain.line(diagnosis.address), .bold)]
        for check in diagnosis.checks {
            lines.append("  \(mark(check.outcome))  \(padded(check.name))  \(Plain.line(check.text))")
            if let advice = check.advice { lines.append("        \(padded(""))  -> \(Plain.line(advice))") }
        }
        let broken = diagnosis.brokenCount
        let warnings = diagnosis.checks.count { $0.outcome == .warning }
        switch (broken, warnings) {
        case (0, 0):
            let isWhole = !diagnosis.checks.contains { $0.outcome == .skipped }
            lines.append(isWhole ? "everything works" : "everything that was looked at works")
        case (0, _): lines.append("it works; \(warnings) \(warnings == 1 ? "thing" : "things") could be better")
        default: lines.append("\(broken) \(broken == 1 ? "thing does" : "things do") not work")
        }
        return lines
    }

    private func mark(_ outcome: Diagnosis.Outcome) -> String {
        switch outcome {
        case .fine: style.paint("ok  ", .green)
        case .warning: style.paint("hmm ", .yellow)
        case .broken: style.paint("FAIL", .red)
        case .skipped: style.paint("--  ", .dim)
        }
    }

    private func padded(_ name: String) -> String {
        name + String(repeating: " ", count: max(0, 10 - name.count))
    }
}
