// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A second opinion on prepared texts: Python's own tables, and the package `precis-i18n`.
///
/// The interpreter is what the variable `APUS_PYTHON` names, else the one that `Scripts/install tests` prepares in
/// `.build/venv`, else `python3`.
struct PythonOracle {
    /// One question: a profile of the script below, and a text as code points.
    struct Question {
        let profile: String
        let text: [UInt32]
    }

    enum Answer: Equatable {
        case text([UInt32])
        case refused
        /// The text holds a code point that Python's version of Unicode does not know.
        case unknown
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private static var interpreter: String {
        if let named = ProcessInfo.processInfo.environment["APUS_PYTHON"] { return named }
        var folder = URL(filePath: #filePath)
        while folder.pathComponents.count > 1 {
            folder.deleteLastPathComponent()
            let prepared = folder.appending(path: ".build/venv/bin/python").path
            if FileManager.default.isExecutableFile(atPath: prepared) { return prepared }
        }
        return "python3"
    }

    static func ask(_ questions: [Question]) throws -> [Answer] {
        let folder = FileManager.default.temporaryDirectory.appending(path: "apus-oracle-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let input = folder.appending(path: "input")
        let output = folder.appending(path: "output")
        let lines = questions.map { question in
            question.profile + " " + question.text.map { String($0, radix: 16) }.joined(separator: " ")
        }
        try (lines.joined(separator: "\n") + "\n").write(to: input, atomically: false, encoding: .utf8)

        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        let python = interpreter
        process.arguments = [python, "-c", script, input.path, output.path]
        let errors = Pipe()
        process.standardError = errors
        try process.run()
        let complaint = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(
                description: """
                    \(python) could not answer; the tests need its package precis-i18n (Scripts/install tests, \
                    or pip install precis-i18n): \(String(decoding: complaint, as: UTF8.self))
                    """)
        }
        let answers = try String(contentsOf: output, encoding: .utf8).split(separator: "\n")
        guard answers.count == questions.count else { throw Failure(description: "\(answers.count) answers") }
        return answers.map { line in
            let words = line.split(separator: " ")
            switch words.first {
            case "ok": return .text(words.dropFirst().compactMap { UInt32($0, radix: 16) })
            case "unknown": return .unknown
            default: return .refused
            }
        }
    }

    private static let script = """
        import sys, unicodedata, stringprep
        import precis_i18n
        profiles = {name: precis_i18n.get_profile(name) for name in ("UsernameCaseMapped", "OpaqueString")}

        def saslprep(text, stored):
            # RFC 4013 with the tables of RFC 3454, which are those of Unicode 3.2.
            mapped = "".join(" " if stringprep.in_table_c12(c) else c
                             for c in text if not stringprep.in_table_b1(c))
            out = unicodedata.ucd_3_2_0.normalize("NFKC", mapped)
            for c in out:
                for table in (stringprep.in_table_c12, stringprep.in_table_c21_c22, stringprep.in_table_c3,
                              stringprep.in_table_c4, stringprep.in_table_c5, stringprep.in_table_c6,
                              stringprep.in_table_c7, stringprep.in_table_c8, stringprep.in_table_c9):
                    if table(c):
                        raise ValueError
                if stored and stringprep.in_table_a1(c):
                    raise ValueError
            if any(map(stringprep.in_table_d1, out)):
                if any(map(stringprep.in_table_d2, out)):
                    raise ValueError
                if not (stringprep.in_table_d1(out[0]) and stringprep.in_table_d1(out[-1])):
                    raise ValueError
            if not out:
                raise ValueError
            return out

        def answer(profile, text):
            if profile == "saslprep":
                return saslprep(text, False)
            if profile == "saslprep-stored":
                return saslprep(text, True)
            return profiles[profile].enforce(text)

        def unknown(text):
            return any(unicodedata.category(c) == "Cn" and (ord(c) & 0xFFFE) != 0xFFFE
                       and not 0xFDD0 <= ord(c) <= 0xFDEF for c in text)

        with open(sys.argv[1]) as questions, open(sys.argv[2], "w") as answers:
            for line in questions:
                profile, *points = line.split()
                text = "".join(chr(int(point, 16)) for point in points)
                if unknown(text):
                    answers.write("unknown\\n")
                    continue
                try:
                    answers.write(" ".join(["ok"] + ["%x" % ord(c) for c in answer(profile, text)]) + "\\n")
                except (ValueError, UnicodeError):
                    answers.write("refused\\n")
        """
}
