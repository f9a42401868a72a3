package jsonrec

import (
	"ubik/internal/codec"
	"ubik/internal/vec"
)

// Format is the JSON format. Its decoder and encoder may be used by one goroutine at a time.
var Format = codec.Format{
	Name:       "json",
	Doc:        "one JSON object a record (RFC 8259, UTF-8); a column is the member of its name",
	NewDecoder: func(cols []codec.Column) codec.Decoder { return newDecoder(cols) },
	NewEncoder: func(fields []vec.Field) codec.Encoder { return newEncoder(fields) },
}
