// SPDX-License-Identifier: Apache-2.0
import ApusSQLite
import Testing

@Suite("Bindable")
struct BindableTests {
    @Test(
        "a number of any width comes back as it went in",
        arguments: [Int64.min, -1, 0, 1, Int64(UInt32.max), Int64.max])
    func integers(_ number: Int64) throws {
        let connection = try Connection(.memory)
        #expect(try connection.value("SELECT ?", number) == number)
        #expect(try connection.value("SELECT ?", Int(number)) == Int(number))
        #expect(try connection.value("SELECT ?", UInt64(bitPattern: number)) == UInt64(bitPattern: number))
        #expect(
            try connection.value("SELECT ?", UInt32(truncatingIfNeeded: number))
                == UInt32(truncatingIfNeeded: number))
    }

    @Test("a number that is too large for the type asked for is cut, never a trap")
    func truncation() throws {
        let connection = try Connection(.memory)
        #expect(try connection.value("SELECT ?", Int64.max) == UInt32.max)
    }

    @Test("text in a column that is read as a number gives a number")
    func conversion() throws {
        let connection = try Connection(.memory)
        #expect(try connection.value("SELECT 'abc'") == Int64(0))
        #expect(try connection.value("SELECT NULL") == "")
    }
}
