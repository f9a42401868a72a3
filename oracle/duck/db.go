package duck

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"strings"
	"testing"

	"github.com/duckdb/duckdb-go/v2"

	"ubik/internal/ubiktest/rawlog"
)

// DB is one in-memory database on one connection. It is not for concurrent use.
type DB struct {
	pool *sql.DB
	conn *sql.Conn
}

// Open makes an empty database. One thread, so that results that depend on an order are the same at each run; UTC, so that they are at each place.
func Open() (*DB, error) {
	connector, err := duckdb.NewConnector("", nil)
	if err != nil {
		return nil, fmt.Errorf("opening DuckDB: %w", err)
	}
	pool := sql.OpenDB(connector)
	conn, err := pool.Conn(context.Background())
	if err != nil {
		pool.Close()
		return nil, fmt.Errorf("opening DuckDB: %w", err)
	}
	db := &DB{pool, conn}
	for _, setting := range []string{"SET threads=1", "SET TimeZone='UTC'"} {
		if err := db.Exec(setting); err != nil {
			db.Close()
			return nil, err
		}
	}
	return db, nil
}

// ForTest is Open for a test, which closes the database and fails where there is none.
func ForTest(t testing.TB) *DB {
	t.Helper()
	db, err := Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// Close frees the database with all that is in it.
func (db *DB) Close() error {
	err := db.conn.Close()
	if closed := db.pool.Close(); err == nil {
		err = closed
	}
	return err
}

// Exec runs a statement that gives no rows.
func (db *DB) Exec(statement string) error {
	if _, err := db.conn.ExecContext(context.Background(), statement); err != nil {
		return failed(statement, err)
	}
	return nil
}

// Query runs a statement and gives all its rows, in the order the statement asks for.
func (db *DB) Query(statement string) (*Result, error) {
	rows, err := db.conn.QueryContext(context.Background(), statement)
	if err != nil {
		return nil, failed(statement, err)
	}
	defer rows.Close()
	types, err := rows.ColumnTypes()
	if err != nil {
		return nil, failed(statement, err)
	}
	result := &Result{}
	for _, t := range types {
		result.Columns = append(result.Columns, t.Name())
		result.Types = append(result.Types, t.DatabaseTypeName())
	}
	for rows.Next() {
		row := make([]any, len(types))
		into := make([]any, len(types))
		for i := range row {
			into[i] = &row[i]
		}
		if err := rows.Scan(into...); err != nil {
			return nil, failed(statement, err)
		}
		result.Rows = append(result.Rows, row)
	}
	if err := rows.Err(); err != nil {
		return nil, failed(statement, err)
	}
	return result, nil
}

func failed(statement string, err error) error {
	return fmt.Errorf("DuckDB refuses a statement: %w\n%s", err, statement)
}

// LoadRecords creates a table and fills it with records: "part" BIGINT and "off" BIGINT, the position; "value" BLOB, the bytes as they are, NULL
// for a tombstone; "key" BLOB; "log_us" BIGINT, the log timestamp in µs since 1970 UTC.
func (db *DB) LoadRecords(table string, records []rawlog.Record) error {
	rows := make([][]driver.Value, len(records))
	for i, r := range records {
		rows[i] = []driver.Value{int64(r.Partition), r.Offset, blob(r.Value), blob(r.Key), r.TimestampMillis * 1000}
	}
	return db.LoadRows(table, `"part" BIGINT, "off" BIGINT, "value" BLOB, "key" BLOB, "log_us" BIGINT`, rows)
}

// blob keeps a null apart from no bytes.
func blob(b []byte) driver.Value {
	if b == nil {
		return nil
	}
	return b
}

// LoadRows creates a table with the given columns, as CREATE TABLE has them, and fills it.
func (db *DB) LoadRows(table, columns string, rows [][]driver.Value) error {
	if err := db.Exec("CREATE TABLE " + Quote(table) + " (" + columns + ")"); err != nil {
		return err
	}
	err := db.conn.Raw(func(conn any) error {
		appender, err := duckdb.NewAppenderFromConn(conn.(driver.Conn), "", table)
		if err != nil {
			return err
		}
		for _, row := range rows {
			if err := appender.AppendRow(row...); err != nil {
				appender.Close()
				return err
			}
		}
		return appender.Close()
	})
	if err != nil {
		return fmt.Errorf("filling the DuckDB table %s: %w", table, err)
	}
	return nil
}

// Quote writes an identifier so that it means itself, whatever it is.
func Quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// Literal writes a string constant.
func Literal(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }
