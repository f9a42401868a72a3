package checkpoint

import "hash/crc32"

// The file, format 1. Numbers are little-endian; hashes have their most significant byte first. Frozen: a change is a
// new format, and this one is still read.
//
//	header    offset size
//	               0    8  magic  89 'U' 'B' 'I' 'K' 0d 0a 1a
//	               8    4  format, 1
//	              12    4  length of the header, 80
//	              16    8  number of the unit
//	              24   16  job id
//	              40    8  length of the file
//	              48    8  raw lengths of all sections, added
//	              56   16  content hash (Unit.ContentHash)
//	              72    4  number of sections
//	              76    4  CRC-32C of the header so far
//	section        0    2  length of the name, n, 1 to 255        } as many
//	               2    2  flags: 1 in blocks, 2 content          } as the
//	               4    4  CRC-32C of the stored bytes            } header
//	               8    8  raw length                             } says
//	              16    8  stored length, m                       }
//	              24    n  name                                   }
//	            24+n    4  CRC-32C of this section header so far  }
//	            28+n    m  stored bytes                           }
//	trailer        0    8  XXH3-64 of everything before it
//
// The stored bytes of a section without flag 1 are its raw bytes. With it they are blocks; each holds the next 64 KiB
// of the raw bytes, the last one what is left:
//
//	block          0    4  bits 0–30: length of what follows, k; bit 31: it is raw
//	               4    k  the block, raw or as an s2 block
//
// Magic, format, length of the header, and a CRC-32C in its last four bytes are the same in every format to come, so
// that a newer file is told from a damaged one.
//
// 64 KiB take at least 8 bytes: a reader takes no more memory than the file's length by 8,192, whatever the file says.
// (The checksums come first, so that only a file made on purpose gets that far.)
const (
	magic = "\x89UBIK\r\n\x1a"

	formatNewest = 1

	headerFrozen     = 16   // bytes of the header that every format has in common
	headerLengthMax  = 4096 // of any format
	headerLength     = 80
	sectionFixed     = 24
	checksumLength   = 4
	trailerLength    = 8
	blockFixed       = 4
	blockRaw         = 64 << 10
	blockIsRaw       = 1 << 31
	expansionMax     = blockRaw / 8
	flagBlocks       = 1
	flagContent      = 2
	flagsKnown       = flagBlocks | flagContent
	sectionLengthMin = sectionFixed + 1 + checksumLength
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func checksum(b []byte) uint32 { return crc32.Checksum(b, castagnoli) }
