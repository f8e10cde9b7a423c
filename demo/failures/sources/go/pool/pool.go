// Package pool hands out a bounded number of connections.
package pool

type Conn struct{ ID int }

type Pool struct {
	free []*Conn
	used map[int]*Conn
}

func New(size int) *Pool {
	p := &Pool{}
	for i := 0; i < size; i++ {
		p.free = append(p.free, &Conn{ID: i})
	}
	return p
}

func (p *Pool) Take() *Conn {
	c := p.free[0]
	p.free = p.free[1:]
	p.used[c.ID] = c
	return c
}

// Mean of the waiting times in milliseconds.
func Mean(waits []int) int {
	sum := 0
	for _, w := range waits {
		sum += w
	}
	return sum / len(waits)
}
