// SPDX-License-Identifier: Apache-2.0
import ApusCrypto

/// The colour of somebody, the same on all programs (XEP-0392).
///
/// It helps the eye and proves nothing: different people may have the same one.
public struct ConsistentColor: Sendable, Hashable {
    /// Red, from 0 to 1.
    public let red: Double
    /// Green, from 0 to 1.
    public let green: Double
    /// Blue, from 0 to 1.
    public let blue: Double

    /// Makes a colour from its parts; what is outside of 0 to 1 is cut.
    public init(red: Double, green: Double, blue: Double) {
        self.red = min(max(red, 0), 1)
        self.green = min(max(green, 0), 1)
        self.blue = min(max(blue, 0), 1)
    }

    /// The colour of a text, as a nickname in a room.
    /// - Parameters:
    ///   - text: The text; equal ones have equal colours, byte by byte.
    ///   - saturation: From 0, grey, to 100. Defaults to 100.
    ///   - lightness: From 0, black, to 100, white: choose it for the background. Defaults to 50.
    public init(of text: String, saturation: Double = 100, lightness: Double = 50) {
        let color = HSLuv.color(
            hue: Self.hue(of: text), saturation: min(max(saturation, 0), 100), lightness: min(max(lightness, 0), 100))
        self.init(red: color.red, green: color.green, blue: color.blue)
    }

    /// The colour of an address; use the bare one for a contact (XEP-0392 §6.2).
    public init(of jid: JID, saturation: Double = 100, lightness: Double = 50) {
        self.init(of: jid.description, saturation: saturation, lightness: lightness)
    }

    /// The place of a text on the wheel of colours, in degrees from 0 up to 360 (XEP-0392 §5.1).
    public static func hue(of text: String) -> Double {
        let hash = digest(.sha1, Array(text.utf8))
        return Double(Int(hash[0]) | Int(hash[1]) << 8) / 65_536 * 360
    }
}

/// The few colours that a screen has, for those who cannot show any (XEP-0392 §5.3, §5.4).
public struct ColorPalette: Sendable, Hashable {
    private let colors: [Int: ConsistentColor]

    /// Sorts colours by their place on the wheel; grey ones have none and are left out.
    ///
    /// Of two at the same place the one with the more usual lightness stays.
    public init(_ colors: some Sequence<ConsistentColor>) {
        var found: [Int: (distance: Double, color: ConsistentColor)] = [:]
        for color in colors {
            let parts = HSLuv.Color(red: color.red, green: color.green, blue: color.blue)
            guard let (hue, lightness) = HSLuv.hueAndLightness(parts) else { continue }
            let angle = Int(hue.rounded())
            let distance = abs(lightness - 73.2)
            if let known = found[angle], known.distance <= distance { continue }
            found[angle] = (distance, color)
        }
        self.colors = found.mapValues(\.color)
    }

    /// The colour of the palette that comes next to that of a text; nil only for an empty palette.
    public func color(of text: String) -> ConsistentColor? {
        let hue = ConsistentColor.hue(of: text)
        if let exact = colors[Int(hue.rounded())] { return exact }
        func distance(_ angle: Int) -> Double {
            let turn = abs(hue - Double(angle)).truncatingRemainder(dividingBy: 360)
            return min(turn, 360 - turn)
        }
        return colors.min { (distance($0.key), $0.key) < (distance($1.key), $1.key) }?.value
    }

    /// The color of the palette that comes next to that of an address.
    public func color(of jid: JID) -> ConsistentColor? { color(of: jid.description) }
}
