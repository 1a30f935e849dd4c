// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP

@Suite("Consistent colours (XEP-0392)")
struct ConsistentColorTests {
    /// The vectors of XEP-0392 §13.
    static let vectors: [(String, Double, [Double])] = [
        ("Romeo", 327.255249, [0.865, 0.000, 0.686]),
        ("juliet@capulet.lit", 209.410400, [0.000, 0.515, 0.573]),
        ("😺", 331.199341, [0.872, 0.000, 0.659]),
        ("council", 359.994507, [0.918, 0.000, 0.394]),
        ("Board", 171.430664, [0.000, 0.527, 0.457]),
    ]

    static let palette: [(String, [Double])] = [
        ("Romeo", [1.0, 0.0, 0.8]), ("juliet@capulet.lit", [0.0, 0.8, 1.0]), ("😺", [1.0, 0.4, 0.8]),
        ("council", [0.8, 0.2, 0.4]), ("Board", [0.0, 1.0, 0.8]),
    ]

    func isClose(_ color: ConsistentColor?, _ parts: [Double], _ tolerance: Double = 0.001) -> Bool {
        guard let color else { return false }
        return zip([color.red, color.green, color.blue], parts).allSatisfy { abs($0 - $1) < tolerance }
    }

    @Test("the vectors of the specification", arguments: vectors)
    func vector(_ text: String, _ hue: Double, _ parts: [Double]) {
        #expect(abs(ConsistentColor.hue(of: text) - hue) < 0.00001)
        #expect(isClose(ConsistentColor(of: text), parts))
    }

    @Test("the vectors for a palette", arguments: palette)
    func limited(_ text: String, _ parts: [Double]) throws {
        let steps = (0...5).map { Double($0) * 0.2 }
        let colors = steps.flatMap { red in
            steps.flatMap { green in steps.map { ConsistentColor(red: red, green: green, blue: $0) } }
        }
        #expect(isClose(ColorPalette(colors).color(of: text), parts))
        #expect(ColorPalette([]).color(of: text) == nil)
        #expect(ColorPalette([ConsistentColor(red: 0.5, green: 0.5, blue: 0.5)]).color(of: text) == nil)
    }

    @Test("an address has the colour of its text, after it was made comparable")
    func address() throws {
        #expect(ConsistentColor(of: try JID("Juliet@Capulet.LIT")) == ConsistentColor(of: "juliet@capulet.lit"))
        let palette = ColorPalette([ConsistentColor(red: 1, green: 0, blue: 0)])
        #expect(palette.color(of: try JID("a@example.org")) == ConsistentColor(red: 1, green: 0, blue: 0))
    }

    @Test("lightness and saturation stay within their bounds, and so do the parts")
    func bounds() {
        #expect(ConsistentColor(of: "a", lightness: 100) == ConsistentColor(red: 1, green: 1, blue: 1))
        #expect(ConsistentColor(of: "a", lightness: -5) == ConsistentColor(red: 0, green: 0, blue: 0))
        let grey = ConsistentColor(of: "a", saturation: 0)
        #expect(abs(grey.red - grey.blue) < 0.000_1 && abs(grey.red - grey.green) < 0.000_1)
        for number in 0..<500 {
            let color = ConsistentColor(of: "\(number)", saturation: 200, lightness: Double(number % 120))
            #expect([color.red, color.green, color.blue].allSatisfy { (0...1).contains($0) })
        }
    }
}
