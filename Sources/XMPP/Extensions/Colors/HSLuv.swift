// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The colour space HSLuv: colours of one lightness look equally bright to people (XEP-0392 §5, hsluv.org).
enum HSLuv {
    private static let toRGB: [[Double]] = [
        [3.240969941904521, -1.537383177570093, -0.498610760293],
        [-0.96924363628087, 1.87596750150772, 0.041555057407175],
        [0.055630079696993, -0.20397695888897, 1.056971514242878],
    ]
    private static let toXYZ: [[Double]] = [
        [0.41239079926595, 0.35758433938387, 0.18048078840183],
        [0.21263900587151, 0.71516867876775, 0.072192315360733],
        [0.019330818715591, 0.11919477979462, 0.95053215224966],
    ]
    private static let whiteU = 0.19783000664283
    private static let whiteV = 0.46831999493879
    private static let kappa = 903.2962962
    private static let epsilon = 0.0088564516

    private static func product(_ matrix: [[Double]], _ vector: [Double]) -> [Double] {
        matrix.map { row in zip(row, vector).reduce(0) { $0 + $1.0 * $1.1 } }
    }

    /// The largest chroma that a screen can show at a lightness and a hue.
    private static func maximumChroma(_ lightness: Double, _ hue: Double) -> Double {
        let angle = hue / 180 * .pi
        let cube = pow(lightness + 16, 3) / 1_560_896
        let scale = cube > epsilon ? cube : lightness / kappa
        var smallest = Double.infinity
        for row in toRGB {
            for limit in [0.0, 1.0] {
                let slopeTop = (284_517 * row[0] - 94_839 * row[2]) * scale
                let offsetTop =
                    (838_422 * row[2] + 769_860 * row[1] + 731_718 * row[0]) * lightness * scale - 769_860 * limit
                    * lightness
                let bottom = (632_260 * row[2] - 126_452 * row[1]) * scale + 126_452 * limit
                let length = offsetTop / bottom / (sin(angle) - slopeTop / bottom * cos(angle))
                if length >= 0 { smallest = min(smallest, length) }
            }
        }
        return smallest
    }

    /// Red, green and blue from 0 to 1; the hue is in degrees, saturation and lightness go from 0 to 100.
    static func color(hue: Double, saturation: Double, lightness: Double) -> Color {
        guard lightness < 99.9999999 else { return Color(red: 1, green: 1, blue: 1) }
        guard lightness > 0.00000001 else { return Color(red: 0, green: 0, blue: 0) }
        let chroma = maximumChroma(lightness, hue) / 100 * saturation
        let angle = hue / 180 * .pi
        let u = cos(angle) * chroma / (13 * lightness) + whiteU
        let v = sin(angle) * chroma / (13 * lightness) + whiteV
        let y = lightness <= 8 ? lightness / kappa : pow((lightness + 16) / 116, 3)
        let x = y * 9 * u / (4 * v)
        let z = (9 * y - 15 * v * y - v * x) / (3 * v)
        let linear = product(toRGB, [x, y, z]).map { part in
            let value = part <= 0.0031308 ? 12.92 * part : 1.055 * pow(part, 1 / 2.4) - 0.055
            return min(max(value, 0), 1)
        }
        return Color(red: linear[0], green: linear[1], blue: linear[2])
    }

    /// Hue in degrees and lightness of a colour that is not grey; nil for a grey one.
    static func hueAndLightness(_ color: Color) -> (hue: Double, lightness: Double)? {
        guard color.red != color.green || color.green != color.blue else { return nil }
        let linear = [color.red, color.green, color.blue].map {
            $0 > 0.04045 ? pow(($0 + 0.055) / 1.055, 2.4) : $0 / 12.92
        }
        let xyz = product(toXYZ, linear)
        let divider = xyz[0] + 15 * xyz[1] + 3 * xyz[2]
        guard divider > 0 else { return nil }
        let lightness = xyz[1] <= epsilon ? xyz[1] * kappa : 116 * cbrt(xyz[1]) - 16
        let u = 13 * lightness * (4 * xyz[0] / divider - whiteU)
        let v = 13 * lightness * (9 * xyz[1] / divider - whiteV)
        let hue = atan2(v, u) * 180 / .pi
        return (hue < 0 ? hue + 360 : hue, lightness)
    }

    struct Color: Sendable, Hashable {
        var red: Double
        var green: Double
        var blue: Double
    }
}
