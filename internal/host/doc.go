// Package host is everything Ubik asks of the machine it runs on: a disk and a clock, each behind a small interface.
//
// No other package calls os or time.Now for what decides the output, so a test can put the whole program on a disk that
// loses power, runs full or fails at any chosen call, and can move time by hand.
//
// The words:
//
//   - a Disk has named files; a File is one open file, at one read and write position.
//   - durable: what survives a power loss. The bytes of a file are durable after File.Sync, a name (created, renamed,
//     linked or removed) after SyncDir of its directory. One says nothing about the other.
//   - the real disk is OS; Mem is its twin in memory, which can lose power (Mem.Crash) and lose a process (Mem.Kill).
//   - Fault makes a chosen call fail, or all calls from a chosen one on; Quota makes a disk run full.
//
// Replacing a file so that either the old or the new one is there after a power loss:
//
//	f, err := disk.OpenRW("/data/x.tmp", 0o600)
//	f.Write(b)
//	f.Sync()                             // the bytes first,
//	disk.Rename("/data/x.tmp", "/data/x") // then the name that shows them,
//	disk.SyncDir("/data")                // then the name is durable
//
// Each call's error ends the attempt; after a failed Sync nothing written before it may be believed, and it is never
// called again on that file (the kernel may have dropped the pages it could not write).
package host
