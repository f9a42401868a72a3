package exact

// ShortDouble reads up to 16 bytes of digits, below 2⁵³, with a minus sign or none before and a point or none between two:
// the quotient of two exact numbers, rounded once. False says that the text is of another form.
func ShortDouble(text []byte) (float64, bool) {
	neg := len(text) > 0 && text[0] == '-'
	if neg {
		text = text[1:]
	}
	if len(text) == 0 || len(text) > 16 || text[0] == '.' || text[len(text)-1] == '.' {
		return 0, false
	}
	point := len(text) - 1
	var m int64
	for i, c := range text {
		switch {
		case c-'0' <= 9:
			m = m*10 + int64(c-'0')
		case c == '.' && point == len(text)-1:
			point = i
		default:
			return 0, false
		}
	}
	if m > 1<<53 {
		return 0, false
	}
	x := float64(m) / pow10f64[len(text)-1-point]
	if neg {
		x = -x
	}
	return x, true
}
