/// Dates of the Gregorian calendar as seconds since 2001-01-01T00:00:00Z, and back.
///
/// The calendar is extended to the years before its introduction, as in Apple's lists.
struct CalendarTime: Equatable {
    var year: Int
    var month: Int
    var day: Int
    var hour: Int
    var minute: Int
    var second: Int

    /// Days from 1 March of the year 0 to 2001.
    private static let daysBefore2001 = 730_791

    /// The seconds since 2001, or nil if the date or time does not exist.
    ///
    /// A leap second counts as the next second.
    var secondsSince2001: Double? {
        guard (1...12).contains(month), (1...Self.days(in: month, of: year)).contains(day), (0...23).contains(hour),
            (0...59).contains(minute), (0...60).contains(second), (-9999...9999).contains(year)
        else { return nil }
        // Years begin in March here, so that the leap day is the last day of its year.
        let shifted = month > 2 ? year : year - 1
        let monthFromMarch = (month + 9) % 12
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        let days = era * 146_097 + dayOfEra - Self.daysBefore2001
        return Double(days * 86_400 + hour * 3_600 + minute * 60 + second)
    }

    init(year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int) {
        self.year = year
        self.month = month
        self.day = day
        self.hour = hour
        self.minute = minute
        self.second = second
    }

    /// The date and time of an instant, without fractions; nil outside the years -9999 to 9999.
    init?(secondsSince2001 seconds: Double) {
        guard seconds.isFinite, abs(seconds) < 400_000_000_000 else { return nil }
        let whole = Int(seconds.rounded(.down))
        let days = (whole >= 0 ? whole : whole - 86_399) / 86_400
        let time = whole - days * 86_400
        let shifted = days + Self.daysBefore2001
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        self.init(
            year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month: month,
            day: dayOfYear - (153 * monthFromMarch + 2) / 5 + 1,
            hour: time / 3_600, minute: time / 60 % 60, second: time % 60)
        guard (-9999...9999).contains(year) else { return nil }
    }

    private static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}

extension CalendarTime {
    /// Reads `2001-01-01T00:00:00Z`, the form of dates in XML; a year may have a minus sign.
    static func xml(_ text: UnsafeBufferPointer<UInt8>) -> Double? {
        var reader = FieldReader(text: text)
        let isNegative = reader.skip("-")
        guard let year = reader.number(digits: 4), reader.skip("-"), let month = reader.number(digits: 2),
            reader.skip("-"), let day = reader.number(digits: 2), reader.skip("T"),
            let time = reader.time(), reader.skip("Z"), reader.isAtEnd
        else { return nil }
        return CalendarTime(
            year: isNegative ? -year : year, month: month, day: day, hour: time.hour, minute: time.minute,
            second: time.second
        ).secondsSince2001
    }

    /// Reads `2001-01-01 00:00:00 +0000`, the form of dates in GNUstep; the zone's offset is applied.
    static func openStep(_ text: UnsafeBufferPointer<UInt8>) -> Double? {
        var reader = FieldReader(text: text)
        guard let year = reader.number(digits: 4), reader.skip("-"), let month = reader.number(digits: 2),
            reader.skip("-"), let day = reader.number(digits: 2), reader.skip(" "),
            let time = reader.time(), reader.skip(" ")
        else { return nil }
        let isWest = reader.skip("-")
        guard isWest || reader.skip("+"), let hours = reader.number(digits: 2), let minutes = reader.number(digits: 2),
            hours <= 23, minutes <= 59, reader.isAtEnd,
            let local = CalendarTime(
                year: year, month: month, day: day, hour: time.hour, minute: time.minute, second: time.second
            ).secondsSince2001
        else { return nil }
        let east = Double(hours * 3_600 + minutes * 60)
        return isWest ? local + east : local - east
    }

    /// The XML form; nil outside the years 0 to 9999, where readers disagree.
    var xml: String? {
        guard (0...9999).contains(year) else { return nil }
        func digits(_ number: Int, _ width: Int) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(0, width - text.utf8.count)) + text
        }
        return digits(year, 4) + "-" + digits(month, 2) + "-" + digits(day, 2) + "T" + digits(hour, 2) + ":"
            + digits(minute, 2) + ":" + digits(second, 2) + "Z"
    }
}

/// Reads fixed fields of digits one after the other.
private struct FieldReader {
    let text: UnsafeBufferPointer<UInt8>
    var position = 0

    var isAtEnd: Bool { position == text.count }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard position < text.count, UInt32(text[position]) == character.value else { return false }
        position += 1
        return true
    }

    mutating func number(digits: Int) -> Int? {
        guard text.count - position >= digits else { return nil }
        var number = 0
        for _ in 0..<digits {
            let digit = text[position] &- 0x30
            guard digit <= 9 else { return nil }
            number = number * 10 + Int(digit)
            position += 1
        }
        return number
    }

    mutating func time() -> (hour: Int, minute: Int, second: Int)? {
        guard let hour = number(digits: 2), skip(":"), let minute = number(digits: 2), skip(":"),
            let second = number(digits: 2)
        else { return nil }
        return (hour, minute, second)
    }
}
