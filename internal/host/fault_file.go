package host

// faultFile is a file of a Fault.
type faultFile struct {
	disk *Fault
	file File
}

func (f *faultFile) do(op Op, call func() error) error {
	return f.disk.do(Call{Op: op, Name: f.file.Name()}, call)
}

func (f *faultFile) Name() string { return f.file.Name() }

func (f *faultFile) Read(p []byte) (n int, err error) {
	err = f.do(OpRead, func() (err error) { n, err = f.file.Read(p); return err })
	return n, err
}

func (f *faultFile) ReadAt(p []byte, off int64) (n int, err error) {
	err = f.do(OpReadAt, func() (err error) { n, err = f.file.ReadAt(p, off); return err })
	return n, err
}

func (f *faultFile) Write(p []byte) (n int, err error) {
	err = f.do(OpWrite, func() (err error) { n, err = f.file.Write(p); return err })
	return n, err
}

func (f *faultFile) Seek(offset int64, whence int) (at int64, err error) {
	err = f.do(OpSeek, func() (err error) { at, err = f.file.Seek(offset, whence); return err })
	return at, err
}

func (f *faultFile) Size() (n int64, err error) {
	err = f.do(OpSize, func() (err error) { n, err = f.file.Size(); return err })
	return n, err
}

func (f *faultFile) Stat() (info Info, err error) {
	err = f.do(OpFileStat, func() (err error) { info, err = f.file.Stat(); return err })
	return info, err
}

func (f *faultFile) Truncate(n int64) error {
	return f.do(OpTruncate, func() error { return f.file.Truncate(n) })
}

func (f *faultFile) Sync() error  { return f.do(OpSync, f.file.Sync) }
func (f *faultFile) Lock() error  { return f.do(OpLock, f.file.Lock) }
func (f *faultFile) Close() error { return f.do(OpClose, f.file.Close) }
