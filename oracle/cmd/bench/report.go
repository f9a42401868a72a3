package main

import (
	"fmt"
	"io"
	"slices"
	"time"
)

func rate(rows int, d time.Duration) float64 { return float64(rows) / d.Seconds() }

func megabytes(n int64) float64 { return float64(n) / (1 << 20) }

// median is the middle one, or the mean of the middle two.
func median(xs []float64) float64 {
	s := slices.Sorted(slices.Values(xs))
	n := len(s)
	return (s[(n-1)/2] + s[n/2]) / 2
}

func (c *contestant) median(of func(cost) float64) float64 {
	var xs []float64
	for _, x := range c.costs {
		xs = append(xs, of(x))
	}
	return median(xs)
}

// ratio is the median over the rounds of what one of a pair has against the other of the same round.
func ratio(a, b *contestant, of func(cost) float64) float64 {
	var xs []float64
	for i := range a.costs {
		xs = append(xs, of(a.costs[i])/of(b.costs[i]))
	}
	return median(xs)
}

// report prints the medians as the table of bench/README.md.
func report(w io.Writer, rows int, ubiks []*contestant, duckdb *contestant) {
	speed := func(c cost) float64 { return rate(rows, c.wall) }
	memory := func(c cost) float64 { return megabytes(c.peak) }
	fmt.Fprintln(w, "| | rows/s | wall s | CPU s | peak MB | speed ÷ DuckDB | memory ÷ DuckDB |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|---|")
	for _, c := range append(ubiks[:len(ubiks):len(ubiks)], duckdb) {
		wall := c.median(func(c cost) float64 { return c.wall.Seconds() })
		cpu := c.median(func(c cost) float64 { return c.cpu.Seconds() })
		fmt.Fprintf(w, "| %s | %.0f | %.2f | %.2f | %.1f | %.2f | %.2f |\n",
			c.name, c.median(speed), wall, cpu, c.median(memory), ratio(c, duckdb, speed), ratio(c, duckdb, memory))
	}
}
