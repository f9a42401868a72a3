package sql

func (f *formatter) create(replace, temp bool, what string, ifNotExists bool, name Ident) {
	f.put("CREATE ")
	if replace {
		f.put("OR REPLACE ")
	}
	if temp {
		f.put("TEMP ")
	}
	f.put(what)
	if ifNotExists {
		f.put("IF NOT EXISTS ")
	}
	f.ident(name)
}

// createTable writes the columns in order, then the key, then the watermark.
func (f *formatter) createTable(n *CreateTable) {
	f.create(false, n.Temp, "TABLE ", n.IfNotExists, n.Name)
	between := " ("
	next := func() {
		f.put(between)
		between = ", "
	}
	for _, c := range n.Columns {
		next()
		f.tableColumn(c)
	}
	if n.PrimaryKey != nil {
		next()
		f.primaryKey(n.PrimaryKey)
	}
	if n.Watermark != nil {
		next()
		f.watermark(n.Watermark)
	}
	if between == ", " {
		f.put(")")
	}
	for i, o := range n.Options {
		if i == 0 {
			f.put(" WITH (")
		} else {
			f.put(", ")
		}
		f.tableOption(o)
	}
	if len(n.Options) > 0 {
		f.put(")")
	}
}

func (f *formatter) tableColumn(c TableColumn) {
	f.ident(c.Name)
	if c.Type == nil {
		f.clause(" AS ", c.Computed)
		return
	}
	f.put(" ")
	f.typeName(c.Type)
	if m := c.Metadata; m != nil {
		f.put(" METADATA")
		if m.Key != "" {
			f.put(" FROM ", QuoteString(m.Key))
		}
		if m.Virtual {
			f.put(" VIRTUAL")
		}
	}
}

func (f *formatter) primaryKey(k *PrimaryKey) {
	f.columnNames("PRIMARY KEY (", k.Columns)
}

func (f *formatter) watermark(w *Watermark) {
	f.put("WATERMARK FOR ")
	f.ident(w.Column)
	f.put(" AS ")
	f.ident(w.Column)
	if w.Delay != nil {
		f.put(" - ")
		f.expr(w.Delay, precArrow)
	}
}

func (f *formatter) tableOption(o TableOption) {
	f.put(QuoteString(o.Key), " = ")
	f.expr(o.Value, precArrow)
}

func (f *formatter) createView(v *CreateView) {
	f.create(v.OrReplace, v.Temp, "VIEW ", v.IfNotExists, v.Name)
	f.columnNames(" (", v.Columns)
	f.put(" AS ")
	f.query(v.Query)
}

func (f *formatter) insert(n *Insert) {
	f.put("INSERT INTO ")
	f.ident(n.Name)
	f.columnNames(" (", n.Columns)
	f.put(" ")
	f.query(n.Query)
}
