package io.retso.bench.hbase;

/** YCSB's core workloads that need no inserts, with a zipfian choice of rows. */
enum Mix {
  A("A, 50 % reads, 50 % updates", 50, Kind.UPDATE),
  B("B, 95 % reads, 5 % updates", 95, Kind.UPDATE),
  C("C, reads only", 100, Kind.READ),
  F("F, 50 % reads, 50 % read-modify-write", 50, Kind.READ_MODIFY_WRITE);

  /** What is done with a row; with transactions, each in one of its own. */
  enum Kind {
    READ,
    UPDATE,
    READ_MODIFY_WRITE
  }

  final String title;
  private final int readPercent;
  private final Kind other;

  Mix(String title, int readPercent, Kind other) {
    this.title = title;
    this.readPercent = readPercent;
    this.other = other;
  }

  Kind next(Rows rows) {
    return rows.choose(100) < readPercent ? Kind.READ : other;
  }
}
