package expr

import (
	"math"

	"ubik/internal/vec"
)

const (
	microsPerSecond = 1_000_000
	microsPerMinute = 60 * microsPerSecond
	microsPerHour   = 60 * microsPerMinute
	microsPerDay    = 24 * microsPerHour
)

// floorDiv returns q and r with a = q·b + r and 0 ≤ r < b, for b > 0.
func floorDiv(a, b int64) (q, r int64) {
	q, r = a/b, a%b
	if r < 0 {
		q--
		r += b
	}
	return q, r
}

// DaysFromCivil returns the days from 1970-01-01 to a date of the proleptic Gregorian calendar; month is 1..12.
// A day outside its month counts on: February 30 is March 2 or 1.
func DaysFromCivil(year, month, day int64) int64 {
	// Years are counted from March, so that the day added in leap years is the last of its year.
	if month <= 2 {
		year--
		month += 12
	}
	era, y := floorDiv(year, 400)
	doy := (153*(month-3)+2)/5 + day - 1
	return era*146097 + y*365 + y/4 - y/100 + doy - 719468
}

// CivilFromDays returns the date that is so many days after 1970-01-01; month is 1..12, day 1..31.
func CivilFromDays(days int64) (year, month, day int64) {
	era, doe := floorDiv(days+719468, 146097)
	yoe := (doe - doe/1460 + doe/36524 - doe/146096) / 365
	doy := doe - (365*yoe + yoe/4 - yoe/100)
	mp := (5*doy + 2) / 153
	day = doy - (153*mp+2)/5 + 1
	month = mp + 3
	if month > 12 {
		month -= 12
	}
	year = era*400 + yoe
	if month <= 2 {
		year++
	}
	return year, month, day
}

var monthDays = [13]int64{0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}

func isLeap(year int64) bool { return year%4 == 0 && (year%100 != 0 || year%400 == 0) }

// daysInMonth returns the length of a month; month is 1..12.
func daysInMonth(year, month int64) int64 {
	if month == 2 && isLeap(year) {
		return 29
	}
	return monthDays[month]
}

// addMonths moves a day (days since 1970) by months; a day that the month does not have becomes its last.
func addMonths(days, months int64) int64 {
	y, m, d := CivilFromDays(days)
	y, m = monthsLater(y, m, months)
	return DaysFromCivil(y, m, min(d, daysInMonth(y, m)))
}

func monthsLater(y, m, months int64) (int64, int64) {
	q, r := floorDiv(y*12+m-1+months, 12)
	return q, r + 1
}

// addInterval returns ts (µs since 1970) moved by iv: first its months, then its days, then its µs. It reports false
// when the result is outside the years 0001 to 9999.
func addInterval(ts int64, iv vec.IntervalValue) (int64, bool) {
	days, us := floorDiv(ts, microsPerDay)
	if iv.Months != 0 {
		days = addMonths(days, int64(iv.Months))
	}
	days += int64(iv.Days)
	if days < -1<<33 || days > 1<<33 {
		return 0, false
	}
	d, us := floorDiv(us+iv.Micros%microsPerDay, microsPerDay)
	days += d + iv.Micros/microsPerDay
	if days < minDay || days > maxDay {
		return 0, false
	}
	return days*microsPerDay + us, true
}

// The first and the last day that a DATE or TIMESTAMP may be.
const (
	minDay = int64(vec.MinTime) / microsPerDay
	maxDay = int64(vec.MaxTime) / microsPerDay
)

// negInterval is −iv, and false when a part has no negation.
func negInterval(iv vec.IntervalValue) (vec.IntervalValue, bool) {
	if iv.Months == math.MinInt32 || iv.Days == math.MinInt32 || iv.Micros == math.MinInt64 {
		return iv, false
	}
	return vec.IntervalValue{Months: -iv.Months, Days: -iv.Days, Micros: -iv.Micros}, true
}

// weekday is 0 for Monday to 6 for Sunday.
func weekday(days int64) int64 {
	_, r := floorDiv(days+3, 7)
	return r
}

// isoWeek returns the ISO 8601 year and week (1..53) of a day: the week belongs to the year of its Thursday.
func isoWeek(days int64) (year, week int64) {
	thursday := days - weekday(days) + 3
	year, _, _ = CivilFromDays(thursday)
	return year, (thursday-DaysFromCivil(year, 1, 1))/7 + 1
}
