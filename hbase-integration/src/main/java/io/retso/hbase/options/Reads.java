package io.retso.hbase.options;

import org.apache.yetus.audience.InterfaceAudience;

/**
 * Where the snapshots of a table's readers are decided.
 *
 * @since 0.1
 */
@InterfaceAudience.Public
public enum Reads {
  /** In the region server, by a coprocessor. */
  SERVER,
  /** In the client; the table needs no coprocessor. */
  CLIENT
}
