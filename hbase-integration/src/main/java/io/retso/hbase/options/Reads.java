package io.retso.hbase.options;

/** Where the snapshots of a table's readers are decided. */
public enum Reads {
  /** In the region server, by a coprocessor. */
  SERVER,
  /** In the client; the table needs no coprocessor. */
  CLIENT
}
