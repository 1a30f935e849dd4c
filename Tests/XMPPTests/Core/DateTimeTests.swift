// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import XMPP

@Suite("DateTime")
struct DateTimeTests {
    /// The second of 2031-03-04T05:06:07Z.
    private let base: Int64 = 1_930_367_167

    @Test("B102 the precise stamp keeps its fraction, the legacy one has none")
    func readsBothKinds() {
        #expect(DateTime("2031-03-04T05:06:07.25Z") == DateTime(seconds: base, nanoseconds: 250_000_000))
        #expect(DateTime(legacy: "20310304T05:06:07") == DateTime(seconds: base))
    }

    @Test("B103 legacy stamps are UTC with or without fraction and Z")
    func readsLegacyForms() {
        #expect(DateTime(legacy: "20310304T05:06:07") == DateTime(seconds: base))
        #expect(DateTime(legacy: "20310304T05:06:07.012345") == DateTime(seconds: base, nanoseconds: 12_345_000))
        #expect(DateTime(legacy: "20310304T05:06:07Z") == DateTime(seconds: base))
        #expect(DateTime(legacy: "20310304T05:06:07.5Z") == DateTime(seconds: base, nanoseconds: 500_000_000))
    }

    @Test("B104 any number of fraction digits, offsets, and no zone at all")
    func readsXEP0082Forms() {
        #expect(DateTime("2031-03-04T05:06:07.5Z") == DateTime(seconds: base, nanoseconds: 500_000_000))
        #expect(DateTime("2031-03-04T05:06:07.123456Z") == DateTime(seconds: base, nanoseconds: 123_456_000))
        #expect(DateTime("2031-03-04T05:06:07.25+00:00") == DateTime(seconds: base, nanoseconds: 250_000_000))
        #expect(DateTime("2031-03-04T05:06:07+05:30")?.description == "2031-03-03T23:36:07Z")
        #expect(DateTime("2031-03-04T05:06:07") == DateTime(seconds: base))
        #expect(DateTime("2031-03-04T05:06:07-00:00") == DateTime(seconds: base))
        #expect(DateTime("2031-03-04T05:06:07-14:00") == DateTime(seconds: base + 50_400))
        let digits = String(repeating: "9", count: 5000)
        #expect(DateTime("2031-03-04T05:06:07.\(digits)Z") == DateTime(seconds: base, nanoseconds: 999_999_999))
    }

    @Test(
        "T085 what is no moment of the calendar is refused and traps nothing",
        arguments: [
            "", "Z", "T", "2031", "2031-03-04", "2031-03-04T", "2031-03-04T05:06Z", "2031-03-04 05:06:07Z",
            "2031-13-04T05:06:07Z", "2031-00-04T05:06:07Z", "2031-02-29T05:06:07Z", "2100-02-29T05:06:07Z",
            "2031-04-31T05:06:07Z", "2031-03-00T05:06:07Z", "2031-03-04T24:00:00Z", "2031-03-04T05:60:07Z",
            "2031-03-04T05:06:61Z", "2031-03-04T05:06:07.Z", "2031-03-04T05:06:07,5Z", "2031-03-04T05:06:07+15:00",
            "2031-03-04T05:06:07+05:60", "2031-03-04T05:06:07+0530", "2031-03-04T05:06:07ZZ", "2031-03-04t05:06:07z",
            " 2031-03-04T05:06:07Z", "2031-03-04T05:06:07Z ", "-2031-03-04T05:06:07Z", "+2031-03-04T05:06:07Z",
            "12031-03-04T05:06:07Z", "99999999999999999999-03-04T05:06:07Z", "2031-3-4T5:6:7Z", "٢٠٣١-03-04T05:06:07Z",
            "0000-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01", "2031-03-04T05:06:07Z\u{0}", "20310304T05:06:07",
        ])
    func refusesOtherForms(text: String) {
        #expect(DateTime(text) == nil)
        if text != "20310304T05:06:07" { #expect(DateTime(legacy: text) == nil) }
    }

    @Test("T085 random changes of a stamp trap nothing")
    func survivesMutation() {
        var random = SeededRandom(seed: 82)
        for _ in 0..<50_000 {
            var bytes = Array("2031-03-04T05:06:07.25+05:30".utf8)
            for _ in 0...random.next() % 3 {
                let index = Int(random.next() % UInt64(bytes.count))
                bytes[index] = random.next() % 2 == 0 ? UInt8(0x2B + random.next() % 16) : UInt8(random.next() % 256)
            }
            bytes.withUnsafeBufferPointer {
                if let value = DateTime(extended: $0) { #expect(DateTime(value.description) == value) }
                _ = DateTime(compact: $0)
            }
        }
    }

    @Test("T085 moments outside the calendar move to its edge")
    func clampsToTheCalendar() {
        #expect(DateTime(seconds: .max).description == "9999-12-31T23:59:59.999999999Z")
        #expect(DateTime(seconds: .min).description == "0000-01-01T00:00:00Z")
        #expect(DateTime(seconds: 0, nanoseconds: -1) == DateTime(seconds: 0))
        #expect(DateTime(seconds: 0, nanoseconds: .max).nanoseconds == 999_999_999)
        for value in [Double.nan, .infinity, -.infinity, 1e300, -1e300] {
            _ = DateTime(Date(timeIntervalSince1970: value)).description
        }
    }

    @Test("writes every day of the calendar and reads it back")
    func roundTripsEveryDay() {
        var (year, month, day) = (0, 1, 1)
        var seconds = DateTime.earliestSecond
        func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
        while year <= 9999 {
            if day == 1 || day >= 28 {
                let digits = String(year)
                let date = String(repeating: "0", count: 4 - digits.count) + digits + "-\(two(month))-\(two(day))"
                let value = DateTime("\(date)T00:00:00Z")
                guard value?.seconds == seconds, value?.description == "\(date)T00:00:00Z" else {
                    Issue.record("\(date) is read as \(String(describing: value))")
                    return
                }
            }
            seconds += 86_400
            day += 1
            let isLeap = year % 400 == 0 || (year % 4 == 0 && year % 100 != 0)
            let length = month == 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
            if day > length { (month, day) = (month + 1, 1) }
            if month > 12 { (year, month) = (year + 1, 1) }
        }
        #expect(seconds == DateTime.latestSecond + 1)
    }

    @Test("a leap second is the next minute's first")
    func readsLeapSeconds() {
        #expect(DateTime("2016-12-31T23:59:60Z")?.description == "2017-01-01T00:00:00Z")
    }

    @Test("orders by time, codes as a string, converts to and from Foundation")
    func convertsAndOrders() throws {
        let value = DateTime(seconds: base, nanoseconds: 250_000_000)
        #expect(DateTime(seconds: base) < value && value < DateTime(seconds: base + 1))
        #expect(DateTime(seconds: -1, nanoseconds: 5).description == "1969-12-31T23:59:59.000000005Z")
        let data = try JSONEncoder().encode([value])
        #expect(String(decoding: data, as: UTF8.self) == #"["2031-03-04T05:06:07.25Z"]"#)
        #expect(try JSONDecoder().decode([DateTime].self, from: data) == [value])
        #expect(DateTime(value.date) == value)
        #expect(DateTime(Date(timeIntervalSince1970: -0.5)) == DateTime(seconds: -1, nanoseconds: 500_000_000))
    }

    @Test("reads the offsets of XEP-0202")
    func readsOffsets() {
        #expect(DateTime.zoneOffset("Z") == 0)
        #expect(DateTime.zoneOffset("+05:30") == 19_800)
        #expect(DateTime.zoneOffset("-06:00") == -21_600)
        for text in ["", "5", "+5:30", "+99:00", "+05:30Z", "UTC"] { #expect(DateTime.zoneOffset(text) == nil) }
    }
}
