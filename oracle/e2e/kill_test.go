package e2e

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"ubik/internal/runner"
)

// phases are where the program can be told to kill itself: behind a row handed to the sink, and in the saving of a checkpoint behind the write, behind the
// fsync (between flush and rename), behind the rename (between it and the fsync of the directory), and behind that.
var phases = []string{"sink write", "written", "synced", "renamed", "dirsynced"}

// atRandom stands for a kill from outside, at a moment that nothing in the program marks.
const atRandom = "random"

// campaign is what is done to a job: lives that end in kills.
type campaign struct {
	*job
	feeds      feeds
	still      bool // everything is in the log already, and nothing is added while the job is killed
	random     *rand.Rand
	backlog    int // records that lie before a life at its start, at least
	rows       int // that a life writes in passing
	windowless bool
	bothSides  bool          // a kill counts only if each join kept rows of both sides
	interval   time.Duration // between checkpoints

	counted  map[string]int // kills by phase
	rejected map[string]int // those that did not count
	lives    int
	restarts int // from the very start
}

func newCampaign(j *job, seed uint64, f ...*feed) *campaign {
	return &campaign{job: j, feeds: f, backlog: 60_000, rows: 1000, interval: 100 * time.Millisecond, random: rand.New(rand.NewPCG(seed, 1)), counted: map[string]int{}, rejected: map[string]int{}}
}

// run makes as many kills of each kind as plan says, in an order of its own. Kills that do not count are made again, within bounds. Where the log came to its
// end before, as it does when the program runs and the test waits for its turn, all is done again from the start, over the whole log.
func (c *campaign) run(plan map[string]int) {
	c.t.Helper()
	var kinds []string
	for _, phase := range append([]string{atRandom}, phases...) {
		for range plan[phase] {
			kinds = append(kinds, phase)
		}
	}
	c.random.Shuffle(len(kinds), func(i, j int) { kinds[i], kinds[j] = kinds[j], kinds[i] })
	// A kill at a row cannot be the first: where rows leave at once, it comes before the first checkpoint that holds anything.
	if first := slices.IndexFunc(kinds, func(kind string) bool { return kind != "sink write" }); first > 0 {
		kinds[0], kinds[first] = kinds[first], kinds[0]
	}
	for !c.makes(kinds) {
		if c.restarts++; c.restarts == 8 {
			c.t.Fatalf("the log came to its end %d times before all kills were made; %s", c.restarts, c)
		}
		c.job, c.counted = c.again(), map[string]int{}
		c.backlog, c.rows = max(4, c.backlog/3), max(1, c.rows/3) // sooner
	}
}

// makes makes kills one by one, and tells whether the log was long enough.
func (c *campaign) makes(kinds []string) bool {
	c.t.Helper()
	for _, kind := range kinds {
		for tries := 1; ; tries++ {
			if !c.still && c.feeds.left() < c.missing()+growthMax+behindKill {
				c.feeds.finish()
				c.still = true
				return false
			}
			if c.kill(kind, tries) {
				break
			}
			c.rejected[kind]++
			if u := c.unit(); c.still && u != nil && unread(u, c.feeds.ends()) == 0 {
				return false
			}
			if tries == 8 {
				c.t.Fatalf("%d kills at %q in a row came when nothing was unread or an operator held nothing; %s", tries, kind, c)
			}
		}
		c.counted[kind]++
	}
	return true
}

const (
	growthMax  = 5000 // records that the log grows by while the program runs
	behindKill = 100  // records that it can never have read
)

// missing is how many records the log must grow by to have the backlog.
func (c *campaign) missing() int {
	if c.still {
		return 0
	}
	return max(0, c.backlog-(c.feeds.produced()-int(c.read())))
}

// kill lives a life up to its kill and tells whether that counts. try counts from 1.
func (c *campaign) kill(kind string, try int) bool {
	c.t.Helper()
	if n := c.missing(); n > 0 {
		c.feeds.stage(n)
	}
	if kind == atRandom {
		return c.randomKill()
	}
	return c.aimedKill(kind, try)
}

// flags are those of a life: short between checkpoints, and another number of workers than the life before.
func (c *campaign) flags() []string {
	c.lives++
	return append(workers([]int{2, 1, 3, 16, 4, 7}[c.lives%6]), "--checkpoint-interval", c.interval.String(), "-X", "fetch.message.max.bytes="+fetchBytes)
}

// randomKill lets the log grow, unless it is still, while the program runs, and kills it some time after it has come a random part of its way. It is stopped
// before and records are added then, which it can never have read.
func (c *campaign) randomKill() bool {
	c.t.Helper()
	target := c.read() + uint64(1+c.random.IntN(c.backlog/4))
	if c.still {
		target = min(target, uint64(c.feeds.produced()))
	}
	delay := time.Duration(c.random.Int64N(int64(c.interval * 6 / 5)))
	p := launch(c.t, "", c.args(c.flags()...)...)
	endSlow := c.slow(p)
	if !c.still {
		c.feeds.stage(growthMax/5 + c.random.IntN(growthMax*4/5))
	}
	eventually(c.t, endWait, "the program does not come on", func() bool {
		if p.over() {
			c.t.Fatalf("the program ended by itself (%v):\n%s", p.err, &p.said)
		}
		return c.read() >= target
	})
	moment := time.NewTimer(delay)
	defer moment.Stop()
	select {
	case <-moment.C:
	case <-p.ended:
	}
	endSlow()
	p.signal(syscall.SIGSTOP)
	ends := c.feeds.ends()
	if !c.still {
		c.feeds.plainly(behindKill)
	}
	p.signal(syscall.SIGKILL)
	return p.killed(endWait) && c.counts(ends)
}

// slow slows a life over a log that does not grow, more with every time that one came to its end. The function returned ends that.
func (c *campaign) slow(p *process) (end func()) {
	if !c.still {
		return func() {}
	}
	return p.slowed(time.Duration(4*(c.restarts+1)) * time.Millisecond)
}

// aimedKill has the program kill itself. The log does not grow meanwhile, and ends in an open transaction, which the program can never have read.
func (c *campaign) aimedKill(phase string, try int) bool {
	c.t.Helper()
	commit := func() {}
	if !c.still {
		commit = c.feeds.openTail(behindKill)
	}
	ends := c.feeds.ends()
	n := 1 + c.random.IntN(2)/try // sooner where the last try came when everything was read
	if phase == "sink write" {
		n = 1 + c.random.IntN(try*c.rows) // further on where the last try came before the first checkpoint
	} else if u := c.unit(); u == nil {
		n += 2 // the first unit is saved before anything is read, and the one behind it may die with the kill
	} else if !c.holds(u) {
		n++ // else no later unit would ever be saved
	}
	p := launch(c.t, fmt.Sprintf("%s:%d", phase, n), c.args(c.flags()...)...)
	endSlow := c.slow(p)
	died := c.dies(p, ends)
	endSlow()
	if !died { // there was not enough to do to get there
		p.signal(syscall.SIGKILL)
		p.killed(endWait)
	}
	commit()
	return died && c.counts(ends)
}

// dies waits until the program has killed itself, and tells whether it has: not when everything was read before, so that a
// kill would not count, or when it stands still.
func (c *campaign) dies(p *process, ends []map[int32]int64) bool {
	c.t.Helper()
	again := time.NewTicker(pollEvery)
	defer again.Stop()
	var number uint64
	since := time.Now() // it has been at that checkpoint
	for {
		select {
		case <-p.ended:
			return p.killed(endWait)
		case <-again.C:
		}
		u := c.unit()
		switch {
		case u != nil && unread(u, ends) == 0:
			return false
		case u != nil && u.Number != number:
			number, since = u.Number, time.Now()
		case time.Since(since) > stillFor:
			return false
		}
	}
}

// stillFor is how long a program makes no checkpoint that stands still.
const stillFor = 30 * time.Second

// counts tells whether a kill counts: by the checkpoint it left a window was open, or a row kept, in each operator, and readable records were unread.
func (c *campaign) counts(ends []map[int32]int64) bool {
	c.t.Helper()
	u := c.unit()
	return u != nil && unread(u, ends) > 0 && c.holds(u)
}

// holds tells whether a unit is one that a kill should leave: each operator held something, or where there is none, records were read.
func (c *campaign) holds(u *runner.Unit) bool {
	return (everyOperatorHolds(u) || c.windowless && u.Read() > 0) && (!c.bothSides || bothSidesHeld(c.t, u))
}

// finish produces what is left, with an aborted transaction at the very end, and runs the job to the end.
func (c *campaign) finish() *process {
	c.t.Helper()
	if !c.still {
		c.feeds.finish()
	}
	p := c.launch("--until-end")
	p.ends(endWait, 0, "complete: ")
	return p
}

func (c *campaign) String() string {
	var b strings.Builder
	total := 0
	for _, phase := range append([]string{atRandom}, phases...) {
		fmt.Fprintf(&b, ", %s %d", phase, c.counted[phase])
		total += c.counted[phase]
	}
	var rejected int
	for _, n := range c.rejected {
		rejected += n
	}
	text := fmt.Sprintf("%d kills%s; %d more did not count", total, strings.Replace(b.String(), ",", ":", 1), rejected)
	if c.restarts > 0 {
		text += fmt.Sprintf("; begun again %d times", c.restarts)
	}
	return text
}

// mustAim sees that a plan is what is promised.
func mustAim(t *testing.T, c *campaign) {
	t.Helper()
	aimed := 0
	for _, phase := range phases {
		if c.counted[phase] == 0 {
			t.Errorf("no kill at %q", phase)
		}
		aimed += c.counted[phase]
	}
	if total := aimed + c.counted[atRandom]; total < 10 || 3*aimed < total {
		t.Errorf("%d kills, %d of them aimed: ten, and a third, are the least", total, aimed)
	}
}
