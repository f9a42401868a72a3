package sim

import (
	"hash/fnv"
	"math/rand/v2"
)

// decider makes the decisions of an execution and remembers them as a hash.
type decider struct {
	rand  *rand.Rand
	hash  uint64
	steps int
}

func newDecider(seed uint64) *decider {
	return &decider{rand: rand.New(rand.NewPCG(seed, 0x75626b)), hash: fnv.New64a().Sum64()}
}

// pick chooses one of n.
func (d *decider) pick(n int) int {
	i := 0
	if n > 1 {
		i = d.rand.IntN(n)
	}
	d.hash = (d.hash ^ uint64(i+1)) * 1099511628211
	d.steps++
	return i
}

// chance is true once in n.
func (d *decider) chance(n int) bool { return d.pick(n) == 0 }
