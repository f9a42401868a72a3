package e2e
import ("testing";"fmt"
"ubik/internal/ubiktest/broker")
func TestZZ(t *testing.T){
 b:=broker.StartOwn(t)
 f := newFeed(t, b, 2, txns(2, 0, 60000))
 count:=func(what string){ d:=b.Dump(t,f.topic,broker.Committed); seen:=map[string]int{}; 
   for _,r:=range d { seen[fmt.Sprint(r.Partition,string(r.Key))]++ }
   runs:=""; n:=0; for p:=range 2 { in:=false; for i:=0;i<f.produced/2;i++ { m:= seen[fmt.Sprint(p,fmt.Sprint(i))]==0; if m {n++}; if m!=in { runs+=fmt.Sprint(" ",p,"/",i,m); in=m } } }
   t.Logf("%s: %d produced, %d in the log, missing %d %s",  what, f.produced, len(d), n, runs) }
 f.stage(30000)
 b.Restart(t); 
 f.stage(20000); count("after clean restart")
 f.stage(30000)
 b.Kill(t); b.Restart(t)
 f.stage(20000); count("after kill")
 f.stage(20000)
 b.Kill(t); b.Restart(t); 
 for range 5 { count("end") }
}
