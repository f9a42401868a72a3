package txngen

import "math/bits"

// random is splitmix64: a counter mixed well. It is written out here so that no release of anything changes what a seed means.
type random struct{ state uint64 }

func (r *random) next() uint64 {
	r.state += 0x9e3779b97f4a7c15
	z := r.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// below gives a number from 0 to n-1; n > 0. The bias, below n/2⁶⁴, is of no account here.
func (r *random) below(n int64) int64 {
	hi, _ := bits.Mul64(r.next(), uint64(n))
	return int64(hi)
}

// perMille is true n times in a thousand.
func (r *random) perMille(n int) bool { return r.below(1000) < int64(n) }

// zipf draws ranks 0 … n-1, rank i with a weight of 1/(i+1): integers throughout, so alike on every machine.
type zipf struct{ upTo []int64 }

func newZipf(n int) zipf {
	z := zipf{make([]int64, n)}
	var sum int64
	for i := range z.upTo {
		sum += 1 << 40 / int64(i+1)
		z.upTo[i] = sum
	}
	return z
}

func (z zipf) draw(r *random) int {
	at := r.below(z.upTo[len(z.upTo)-1])
	lo, hi := 0, len(z.upTo)-1
	for lo < hi {
		mid := (lo + hi) / 2
		if z.upTo[mid] > at {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo
}
