package kafka

// The client makes a batch of a single row at least. One that is larger than the topic takes, before compression, it
// refuses by itself, and sends what comes behind: so Write asks first.

// batchHead is what the client adds to the records of a batch: its head, and the length before it.
const batchHead = 65

// fits reports whether the client can send a row of that key and value in a batch of its own.
func (s *sink) fits(key, value int) bool { return batchHead+rowSize(key, value) <= s.largest }

// rowSize is the size of the first record of a batch, with its length before it: attributes, the two deltas of the first,
// which are 0, key and value with their lengths, and no headers.
func rowSize(key, value int) int {
	n := 1 + 1 + 1 + varintSize(key) + key + varintSize(value) + value + 1
	return varintSize(n) + n
}

// varintSize is the length of a number that is not negative as a zigzag varint.
func varintSize(n int) int {
	size := 1
	for u := uint64(n) << 1; u >= 0x80; u >>= 7 {
		size++
	}
	return size
}
