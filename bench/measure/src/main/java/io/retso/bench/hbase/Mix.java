package io.retso.bench.hbase;

/** YCSB's core workloads but D, which is like B here, with a zipfian choice of rows. */
enum Mix {
  A("A, 50 % reads, 50 % updates", 50, Kind.READ, Kind.UPDATE),
  B("B, 95 % reads, 5 % updates", 95, Kind.READ, Kind.UPDATE),
  C("C, reads only", 100, Kind.READ, Kind.UPDATE),
  F("F, 50 % reads, 50 % read-modify-write", 50, Kind.READ, Kind.READ_MODIFY_WRITE),
  E("E, 95 % scans of up to 100 rows, 5 % inserts", 95, Kind.SCAN, Kind.INSERT);

  /** What is done; with transactions, each in one of its own. */
  enum Kind {
    READ,
    SCAN,
    UPDATE,
    INSERT,
    READ_MODIFY_WRITE;

    boolean isRead() {
      return this == READ || this == SCAN;
    }
  }

  static final int SCANNED_MAX = 100;

  final String title;
  private final int readPercent;
  private final Kind read;
  private final Kind other;

  Mix(String title, int readPercent, Kind read, Kind other) {
    this.title = title;
    this.readPercent = readPercent;
    this.read = read;
    this.other = other;
  }

  Kind next(Rows rows) {
    return rows.choose(100) < readPercent ? read : other;
  }
}
