package vec

// Gather makes the vector a copy of rows of src, a vector of the same physical type: those of sel in its order, nil: the
// first n. It shares nothing with src; memory is kept from call to call.
func (v *Vector) Gather(src *Vector, sel []int32, n int) {
	if sel != nil {
		n = len(sel)
	}
	v.Resize(n)
	v.Arena = v.Arena[:0]
	if src.Type.Phys() == PhysNone { // a bare NULL
		v.SetAllNull()
		return
	}
	if src.HasNulls() {
		for k := range n {
			if src.IsNull(at(sel, k)) {
				v.SetNull(k)
			}
		}
	}
	switch v.Type.Phys() {
	case PhysBool:
		gather(v.Bools, src.Bools, sel)
	case PhysI64:
		gather(v.I64, src.I64, sel)
	case PhysI128:
		gather(v.I128, src.I128, sel)
	case PhysF64:
		gather(v.F64, src.F64, sel)
	case PhysIval:
		gather(v.Ivals, src.Ivals, sel)
	case PhysBytes:
		for k := range n {
			if v.IsNull(k) {
				v.Spans[k] = Span{}
				continue
			}
			v.AppendBytes(k, src.Bytes(at(sel, k)))
		}
	}
}

func at(sel []int32, k int) int {
	if sel == nil {
		return k
	}
	return int(sel[k])
}

func gather[T any](dst, src []T, sel []int32) {
	if sel == nil {
		copy(dst, src[:len(dst)])
		return
	}
	for k, i := range sel {
		dst[k] = src[i]
	}
}
