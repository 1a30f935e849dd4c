// SPDX-License-Identifier: Apache-2.0
public import struct Foundation.Date

extension DateTime: CustomStringConvertible {
    /// The stamp of XEP-0082 §3.2 in UTC, with as many digits of the fraction as it has: `2031-03-04T05:06:07.25Z`.
    public var description: String {
        let days = seconds.floorDivided(by: 86_400)
        let time = seconds - days * 86_400
        let (year, month, day) = DateTime.calendarDay(days)
        var text = "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))T"
        text += "\(padded(time / 3600, 2)):\(padded(time / 60 % 60, 2)):\(padded(time % 60, 2))"
        if nanoseconds != 0 {
            var fraction = padded(Int64(nanoseconds), 9)
            while fraction.hasSuffix("0") { fraction.removeLast() }
            text += "." + fraction
        }
        return text + "Z"
    }

    private func padded(_ value: Int64, _ width: Int) -> String {
        let digits = String(value)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }

    /// Days of the proleptic Gregorian calendar since 1970-01-01; years count from March so that leap days come last.
    static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let era = shifted.floorDivided(by: 400)
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// The inverse of ``days(year:month:day:)``.
    static func calendarDay(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days + 719_468
        let era = shifted.floorDivided(by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
    }

    static func days(inMonth month: Int64, year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}

extension DateTime {
    /// Makes a moment from a Foundation date, to the microsecond; outside the years 0000 to 9999 it moves to their edge.
    public init(_ date: Date) {
        let value = date.timeIntervalSince1970
        guard value > Double(DateTime.earliestSecond), value < Double(DateTime.latestSecond) else {
            self.init(seconds: value > 0 ? .max : .min)
            return
        }
        let microseconds = Int64((value * 1_000_000).rounded())
        let seconds = microseconds.floorDivided(by: 1_000_000)
        self.init(seconds: seconds, nanoseconds: Int32(truncatingIfNeeded: (microseconds - seconds * 1_000_000) * 1000))
    }

    /// The moment as a Foundation date, which keeps about a tenth of a microsecond.
    public var date: Date {
        Date(timeIntervalSince1970: Double(seconds) + Double(nanoseconds) / 1_000_000_000)
    }
}

extension Int64 {
    /// Division that rounds down, for a positive divisor.
    fileprivate func floorDivided(by divisor: Int64) -> Int64 {
        let quotient = self / divisor
        return self % divisor < 0 ? quotient - 1 : quotient
    }
}
