// SPDX-License-Identifier: Apache-2.0
// Compiled by Scripts/fuzz alone: the package has an entry of its own for the other targets.
import ServiceFuzzTargets

/// Called by libFuzzer with one input after the other; a failed precondition is what it reports.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    fuzzHTTP(UnsafeRawBufferPointer(start: start, count: count))
    return 0
}
