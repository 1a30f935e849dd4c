// SPDX-License-Identifier: Apache-2.0
import ChatAPI
import Foundation
import Testing

@Suite struct TimestampTests {
    @Test(arguments: [
        (0, "1970-01-01T00:00:00.000Z"), (951_827_696_789, "2000-02-29T12:34:56.789Z"),
        (-1, "1969-12-31T23:59:59.999Z"),
        (1_709_164_800_000, "2024-02-29T00:00:00.000Z"), (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
    ])
    func `a time is written and read back`(milliseconds: Int64, text: String) {
        #expect(Timestamp(milliseconds: milliseconds).description == text)
        #expect(Timestamp(text)?.milliseconds == milliseconds)
    }

    @Test func `days of five centuries agree with the calendar of Foundation`() throws {
        let formatter = ISO8601DateFormatter()
        formatter.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
        for day in stride(from: Int64(-140_000), through: 60_000, by: 97) {
            let time = Timestamp(milliseconds: day * 86_400_000 + 45_296_123)
            let date = Date(timeIntervalSince1970: Double(day * 86_400) + 45_296.123)
            #expect(time.description == formatter.string(from: date))
            #expect(Timestamp(time.description) == time)
        }
    }

    @Test func `offsets and any number of fraction digits are read`() {
        #expect(Timestamp("2024-01-01T02:00:00+02:00") == Timestamp("2024-01-01T00:00:00Z"))
        #expect(Timestamp("2023-12-31T19:30:00.5-04:30")?.description == "2024-01-01T00:00:00.500Z")
        #expect(Timestamp("2024-01-01T00:00:00.123456789Z")?.milliseconds == 1_704_067_200_123)
    }

    @Test(arguments: [
        "", "2024", "2024-13-01T00:00:00Z", "2023-02-29T00:00:00Z", "2024-01-01T24:00:00Z", "2024-01-01T00:00:00",
        "2024-01-01T00:00:00.Z", "2024-01-01T00:00:00Zx", "+024-01-01T00:00:00Z", "2024-01-01T00:00:00+2:00",
    ])
    func `what is no time is refused`(text: String) {
        #expect(Timestamp(text) == nil)
    }

    @Test func `times out of range are moved into it`() {
        #expect(Timestamp(milliseconds: .max).description == "9999-12-31T23:59:59.999Z")
        #expect(Timestamp(milliseconds: .min).description == "0001-01-01T00:00:00.000Z")
    }
}
