package vec

import (
	"math/rand/v2"
	"testing"

	"ubik/internal/exact"
)

func TestNullsSurviveResizeAndMerge(t *testing.T) {
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 2))
	v, u := NewVector(TypeOf(Int64)), NewVector(TypeOf(Int64))
	for range 300 {
		n := rng.IntN(300)
		v.Resize(n)
		u.Resize(n)
		want := make([]bool, n)
		for range rng.IntN(20) {
			if n == 0 {
				break
			}
			i := rng.IntN(n)
			switch rng.IntN(3) {
			case 0:
				v.SetNull(i)
				want[i] = true
			case 1:
				v.ClearNull(i)
				want[i] = false
			case 2:
				u.SetNull(i)
			}
		}
		for i := range want {
			want[i] = want[i] || u.IsNull(i)
		}
		v.OrNulls(u)
		for i := range want {
			if v.IsNull(i) != want[i] {
				t.Fatalf("seed %d: row %d of %d: NULL %v, want %v", seed, i, n, v.IsNull(i), want[i])
			}
		}
	}
}

func TestResizeOfAReusedVectorAllocatesNothing(t *testing.T) {
	v := NewVector(TypeOf(Varchar))
	v.Resize(1000)
	v.SetNull(5)
	if n := testing.AllocsPerRun(100, func() { v.Resize(900); v.SetNull(3) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestStateReadsBackAndRefusesWhatIsLeftOver(t *testing.T) {
	var e Encoder
	e.Uvarint(1 << 40)
	e.Varint(-5)
	e.U64(7)
	e.Bool(true)
	e.I128(exact.Int128{Hi: -2, Lo: 9})
	e.Bytes([]byte("xyz"))
	e.String("")
	d := &Decoder{Buf: e.Buf}
	if d.Uvarint() != 1<<40 || d.Varint() != -5 || d.U64() != 7 || !d.Bool() ||
		d.I128() != (exact.Int128{Hi: -2, Lo: 9}) || string(d.Bytes()) != "xyz" || d.String() != "" || d.Done() != nil {
		t.Errorf("state does not read back: %v", d.Err)
	}
	for n := range e.Buf {
		d := &Decoder{Buf: e.Buf[:n]}
		d.Uvarint()
		d.Varint()
		d.U64()
		d.Bool()
		d.I128()
		d.Bytes()
		d.Bytes()
		if d.Done() == nil {
			t.Errorf("the first %d bytes of %d read without an error", n, len(e.Buf))
		}
	}
	if (&Decoder{Buf: []byte{0}}).Done() == nil {
		t.Error("a byte left over is not refused")
	}
}

func TestACountNeverPromisesMoreThanTheBytesHold(t *testing.T) {
	var e Encoder
	e.Uvarint(1 << 50)
	d := &Decoder{Buf: e.Buf}
	if n := d.Count(8); n != 0 || d.Err == nil {
		t.Errorf("count %d, error %v", n, d.Err)
	}
}

func TestInfiniteTimesAbsorbArithmetic(t *testing.T) {
	for _, x := range []Time{NegInf, PosInf} {
		if x.Sub(5) != x || x.Sub(Forever) != x {
			t.Errorf("%d moved", x)
		}
	}
	if Time(10).Sub(Forever) != NegInf || Time(10).Sub(3) != 7 {
		t.Error("finite arithmetic")
	}
	for _, c := range [][3]Time{
		{-1, Forever - 1, NegInf + 1}, {-2, Forever - 1, NegInf}, {-3, Forever - 1, NegInf}, {MinTime, Forever - 1, NegInf},
		{MaxTime, Forever - 1, MaxTime - (Forever - 1)}, {MinTime, MaxTime - MinTime, MinTime - (MaxTime - MinTime)},
	} {
		if got := c[0].Sub(c[1]); got != c[2] {
			t.Errorf("%d less %d is %d, want %d", c[0], c[1], got, c[2])
		}
	}
}

// Offsets have 32 bits: past them a text would silently be another.
func TestASpanBeyondItsRangePanics(t *testing.T) {
	if got := SpanTo(3, 1<<32-1); got != (Span{3, 1<<32 - 4}) {
		t.Fatal(got)
	}
	defer func() {
		if recover() == nil {
			t.Fatal("no panic")
		}
	}()
	SpanTo(1<<32-1, 1<<32)
}
