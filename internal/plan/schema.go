package plan

import (
	"ubik/internal/sql"
	"ubik/internal/vec"
)

// TypeOf returns the type that DDL names.
func TypeOf(t *sql.TypeName) (vec.Type, error) {
	kinds := map[string]vec.Kind{
		"BOOLEAN": vec.Bool, "TINYINT": vec.Int8, "SMALLINT": vec.Int16, "INTEGER": vec.Int32, "BIGINT": vec.Int64, "HUGEINT": vec.HugeInt,
		"DOUBLE": vec.Double, "VARCHAR": vec.Varchar, "TIMESTAMP": vec.Timestamp, "TIMESTAMP WITH TIME ZONE": vec.TimestampTZ,
		"DATE": vec.Date, "TIME": vec.TimeOfDay, "INTERVAL": vec.Interval, "BLOB": vec.Blob, "UUID": vec.UUID, "JSON": vec.JSON,
	}
	if k, ok := kinds[t.Name]; ok {
		return vec.TypeOf(k), nil
	}
	switch t.Name {
	case "DECIMAL":
		return vec.DecimalType(t.Args[0], t.Args[1]), nil
	case "STRUCT":
		out := vec.Type{Kind: vec.Struct}
		for _, f := range t.Fields {
			ft, err := TypeOf(f.Type)
			if err != nil {
				return vec.Type{}, err
			}
			out.Fields = append(out.Fields, vec.Field{Name: f.Name.Name, Type: ft})
		}
		return out, nil
	case "LIST", "MAP":
		kind := vec.List
		if t.Name == "MAP" {
			kind = vec.Map
		}
		out := vec.Type{Kind: kind}
		for _, e := range t.Elems {
			et, err := TypeOf(e)
			if err != nil {
				return vec.Type{}, err
			}
			out.Fields = append(out.Fields, vec.Field{Type: et})
		}
		return out, nil
	}
	return vec.Type{}, sql.Errorf(t, "the type %s is not supported", t.Name).WithHint("use DOUBLE")
}

// Schema returns the columns that a --schema text declares.
func Schema(text string) ([]vec.Field, error) {
	defs, err := sql.ParseSchema(text)
	if err != nil {
		return nil, err
	}
	var out []vec.Field
	for _, d := range defs {
		t, err := TypeOf(d.Type)
		if err != nil {
			return nil, err
		}
		out = append(out, vec.Field{Name: d.Name.Name, Type: t})
	}
	return out, nil
}
