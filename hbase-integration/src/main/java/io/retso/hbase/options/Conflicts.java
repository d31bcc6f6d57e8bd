package io.retso.hbase.options;

import org.apache.yetus.audience.InterfaceAudience;

/**
 * The unit of conflict detection of a table.
 *
 * @since 0.1
 */
@InterfaceAudience.Public
public enum Conflicts {
  /** Transactions that write the same row conflict. */
  ROW,
  /** Transactions that write the same column of the same row conflict. */
  CELL
}
