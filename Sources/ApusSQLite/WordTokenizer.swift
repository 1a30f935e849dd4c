// SPDX-License-Identifier: Apache-2.0
internal import ApusCSQLite

/// The tokenizer `words` for full-text search: `unicode61` without case and accents, but each Han, Kana or Hangul character
/// is a word of its own, since there are no spaces to tell words apart.
///
/// A phrase of such characters is found wherever they stand in that order. A text is taken as it is when it is composed
/// (NFC), so that one that was typed letter by letter and sign by sign has the same words. It has to be registered on every
/// connection.
enum WordTokenizer {
    /// What all uses of the tokenizer on one connection share; SQLite frees it with the connection.
    struct Registration {
        fileprivate let api: UnsafeMutablePointer<fts5_api>
        /// Whether texts are composed.
        var composes = true
    }

    static func register(
        on handle: OpaquePointer?
    ) throws(SQLiteError) -> UnsafeMutablePointer<Registration> {
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        var api: UnsafeMutablePointer<fts5_api>?
        guard sqlite3_prepare_v2(handle, "SELECT fts5(?1)", -1, &statement, nil) == SQLITE_OK,
            withUnsafeMutablePointer(
                to: &api,
                { pointer in
                    sqlite3_bind_pointer(statement, 1, pointer, "fts5_api_ptr", nil) == SQLITE_OK
                        && sqlite3_step(statement) == SQLITE_ROW
                }), let api
        else { throw SQLiteError(connection: handle, code: SQLITE_ERROR) }
        var tokenizer = fts5_tokenizer(xCreate: create, xDelete: delete, xTokenize: tokenize)
        let registration = UnsafeMutablePointer<Registration>.allocate(capacity: 1)
        registration.initialize(to: Registration(api: api))
        let result = api.pointee.xCreateTokenizer(api, "words", registration, &tokenizer, { $0?.deallocate() })
        guard result == SQLITE_OK else {
            registration.deallocate()
            throw SQLiteError(connection: handle, code: result)
        }
        return registration
    }
}

/// One use of the tokenizer: the one of SQLite that it stands on.
private struct Inner {
    var methods: fts5_tokenizer
    var tokenizer: OpaquePointer?
    let registration: UnsafeMutablePointer<WordTokenizer.Registration>
}

/// What the inner tokenizer's words are passed on with.
private struct Outer {
    let context: UnsafeMutableRawPointer?
    let token: Token?
    /// Where the text begins that the inner tokenizer sees.
    let start: Int32
    /// Where the words stand in the text as it was given; nil: where they are found.
    let places: UnsafePointer<ComposedText.Places>?

    func passOn(_ word: UnsafePointer<CChar>?, _ count: Int32, _ start: Int32, _ end: Int32) -> Int32 {
        guard let token else { return SQLITE_ERROR }
        guard let places = places?.pointee else { return token(context, 0, word, count, start, end) }
        return token(context, 0, word, count, places.start(start), places.end(end))
    }
}

private typealias Token =
    @convention(c) (
        UnsafeMutableRawPointer?, Int32, UnsafePointer<CChar>?, Int32, Int32, Int32
    ) -> Int32

private func create(
    _ context: UnsafeMutableRawPointer?, _ arguments: UnsafeMutablePointer<UnsafePointer<CChar>?>?, _ count: Int32,
    _ result: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32 {
    guard let registration = context?.assumingMemoryBound(to: WordTokenizer.Registration.self) else {
        return SQLITE_ERROR
    }
    let api = registration.pointee.api
    var methods = fts5_tokenizer()
    var data: UnsafeMutableRawPointer?
    guard api.pointee.xFindTokenizer(api, "unicode61", &data, &methods) == SQLITE_OK else { return SQLITE_ERROR }
    var tokenizer: OpaquePointer?
    let made = "remove_diacritics".withCString { option in
        "2".withCString { value in
            var words: [UnsafePointer<CChar>?] = [option, value]
            return methods.xCreate(data, &words, 2, &tokenizer)
        }
    }
    guard made == SQLITE_OK else { return made }
    let inner = UnsafeMutablePointer<Inner>.allocate(capacity: 1)
    inner.initialize(to: Inner(methods: methods, tokenizer: tokenizer, registration: registration))
    result?.pointee = OpaquePointer(inner)
    return SQLITE_OK
}

private func delete(_ handle: OpaquePointer?) {
    guard let handle else { return }
    let inner = UnsafeMutablePointer<Inner>(handle)
    inner.pointee.methods.xDelete(inner.pointee.tokenizer)
    inner.deinitialize(count: 1)
    inner.deallocate()
}

private func tokenize(
    _ handle: OpaquePointer?, _ context: UnsafeMutableRawPointer?, _ flags: Int32, _ text: UnsafePointer<CChar>?,
    _ count: Int32, _ token: Token?
) -> Int32 {
    guard let handle, let text, let token else { return SQLITE_OK }
    let inner = UnsafeMutablePointer<Inner>(handle)
    let bytes = UnsafeRawBufferPointer(start: text, count: Int(count))
    // Nearly all texts are plain or composed.
    if inner.pointee.registration.pointee.composes, let composed = ComposedText(bytes) {
        return composed.bytes.withUnsafeBytes { bytes in
            withUnsafePointer(to: composed.places) { tokenize(bytes, inner, flags, context, token, $0) }
        }
    }
    return tokenize(bytes, inner, flags, context, token, nil)
}

private func tokenize(
    _ bytes: UnsafeRawBufferPointer, _ inner: UnsafeMutablePointer<Inner>, _ flags: Int32,
    _ context: UnsafeMutableRawPointer?, _ token: Token, _ places: UnsafePointer<ComposedText.Places>?
) -> Int32 {
    guard let text = bytes.baseAddress?.assumingMemoryBound(to: CChar.self) else { return SQLITE_OK }
    /// Where the text begins that was not passed on yet.
    var start = 0
    var index = 0
    func passOn(to end: Int) -> Int32 {
        guard end > start else { return SQLITE_OK }
        var outer = Outer(context: context, token: token, start: Int32(start), places: places)
        return withUnsafeMutablePointer(to: &outer) { outer in
            inner.pointee.methods.xTokenize(
                inner.pointee.tokenizer, outer, flags, text + start, Int32(end - start), pass)
        }
    }
    while index < bytes.count {
        // Nothing below U+1100 is split: nearly all bytes end here.
        guard bytes[index] >= 0xE1 else {
            index += 1
            continue
        }
        let (isWord, length) = Ideograph.look(bytes, at: index)
        if isWord {
            var result = passOn(to: index)
            guard result == SQLITE_OK else { return result }
            let word = Outer(context: context, token: token, start: 0, places: places)
            result = word.passOn(text + index, Int32(length), Int32(index), Int32(index + length))
            guard result == SQLITE_OK else { return result }
            start = index + length
        }
        index += length
    }
    return passOn(to: bytes.count)
}

private func pass(
    _ context: UnsafeMutableRawPointer?, _ flags: Int32, _ word: UnsafePointer<CChar>?, _ count: Int32, _ start: Int32,
    _ end: Int32
) -> Int32 {
    guard let outer = context?.assumingMemoryBound(to: Outer.self).pointee else { return SQLITE_ERROR }
    return outer.passOn(word, count, start + outer.start, end + outer.start)
}

/// Characters that are words of their own.
private enum Ideograph {
    /// Whether the character that begins with this byte, 0xE1 or more, is one, and how many bytes it has.
    static func look(_ bytes: UnsafeRawBufferPointer, at index: Int) -> (isWord: Bool, length: Int) {
        let isLong = bytes[index] >= 0xF0
        let length = isLong ? 4 : 3
        guard index + length <= bytes.count else { return (false, bytes.count - index) }
        var value = UInt32(bytes[index]) & (isLong ? 0x07 : 0x0F)
        for offset in 1..<length {
            let byte = bytes[index + offset]
            // What is no UTF-8 is left to the inner tokenizer, a byte at a time.
            guard byte & 0xC0 == 0x80 else { return (false, 1) }
            value = value << 6 | UInt32(byte & 0x3F)
        }
        return (isIdeograph(value), length)
    }

    private static func isIdeograph(_ value: UInt32) -> Bool {
        switch value {
        case 0x1100...0x11FF, 0x3130...0x318F, 0xA960...0xA97F, 0xAC00...0xD7FF: true  // Hangul
        case 0x3041...0x3096, 0x309D...0x309F, 0x30A1...0x30FA, 0x30FC...0x30FF, 0x31F0...0x31FF: true  // Kana
        case 0xFF66...0xFF9D: true  // Kana of half width
        case 0x2E80...0x2FDF, 0x3005...0x3007, 0x3021...0x3029, 0x3400...0x4DBF, 0x4E00...0x9FFF: true  // Han
        case 0xF900...0xFAFF, 0x20000...0x3FFFF: true  // Han
        default: false
        }
    }
}
