package io.retso.hbase.options;

import org.apache.yetus.audience.InterfaceAudience;

/**
 * What concurrent transactions may do to each other.
 *
 * @since 0.1
 */
@InterfaceAudience.Public
public enum Isolation {
  /**
   * Each reads one snapshot, and two that write the same never both commit. Two that each write
   * what the other one has read may. One that only reads mostly asks no oracle, and has no place in
   * any serial order: it may see a commit, and not one that comes before it in each of them.
   */
  SNAPSHOT,
  /**
   * Those that are serializable, and commit, are as if they had run one after the other. A
   * transaction says at its commit what it has read, and may be refused for it.
   */
  SERIALIZABLE
}
