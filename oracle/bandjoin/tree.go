package bandjoin

// Tree is a query of any shape over the references of a log: as the program is asked, and part by part as DuckDB is.
type Tree struct {
	SQL   string // as the program is asked
	Parts []Part // of its UNION ALL; one without
}

// Part is a part of UNION ALL that is a branch of the query, or all of it. Its rows are one lane, or if made record by record, one for each partition.
type Part struct {
	// SQL gives the rows in the order they leave: the columns of the output, the timestamp in µs since 1970, and what the key is made of: the columns
	// that Key names, or the partition and offset of each record that Of names, both NULL where a row has none.
	SQL     string
	Columns []string // their names in the output
	Key     []string // the names of the columns that are the key; nil: positions are
	Of      []string // the references whose records a row is made of
	Records bool     // made record by record, of the only reference in Of

	places []*Reference // those that Of names
}
