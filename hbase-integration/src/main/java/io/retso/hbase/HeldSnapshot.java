package io.retso.hbase;

import java.io.IOException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.yetus.audience.InterfaceAudience;

/**
 * A snapshot of all tables that any process can read until this is closed, however long that takes:
 * the oracle holds it, whatever happens to the window, to the time limit of transactions, and to
 * its servers. It is for reading only.
 *
 * <pre>{@code
 * try (HeldSnapshot s = manager.hold(HoldOptions.named("nightly").ttl(Duration.ofHours(6)))) {
 *   TableMapReduceUtil.initTableMapperJob("accounts", s.scan(accounts, new Scan()), ...);
 *   ...
 * }
 * }</pre>
 *
 * <p>It has everything that was committed, in any process, before it was taken. It is a safe
 * snapshot, so what is read in it is serializable with all serializable transactions, too.
 *
 * <p>While it is open it is renewed in the background. If its process dies, it ends when its time
 * is over. What is held costs the versions that regions keep for it: see {@code retso hbase holds}.
 *
 * <p>Thread-safe.
 *
 * @since 0.1
 */
@InterfaceAudience.Public
public interface HeldSnapshot extends AutoCloseable {
  /** What other processes know it by. */
  SnapshotToken token();

  /**
   * Whether it is still held, as far as this process knows: false once it is closed, or a renewal
   * was answered that it is over, because it was released elsewhere or the oracle was not reached
   * for the whole of its time.
   */
  boolean isHeld();

  /** Like {@link TransactionManager#scanAt}, of this snapshot. */
  Scan scan(TableName table, Scan scan) throws IOException;

  /**
   * Ends this object without releasing the snapshot: it is renewed no longer, and is held for the
   * whole of its time from the last renewal on, for another process that {@link
   * TransactionManager#resume resumes} it. Closing has no effect after that.
   */
  void leave();

  /**
   * Releases it: regions may drop what only it needs. Reads in it fail from some time on. A failure
   * to reach the oracle is logged; then it ends when its time is over. Closing again has no effect.
   *
   * @throws IllegalStateException in a callback, since it waits for the oracle
   */
  @Override
  void close();
}
