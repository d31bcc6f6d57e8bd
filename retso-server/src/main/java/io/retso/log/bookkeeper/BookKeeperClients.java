package io.retso.log.bookkeeper;

import java.io.IOException;
import java.time.Duration;
import org.apache.bookkeeper.client.BKException;
import org.apache.bookkeeper.client.BookKeeper;
import org.apache.bookkeeper.conf.ClientConfiguration;
import org.apache.zookeeper.ZooKeeper;

/** The two clients of BookKeeper that a server has, and how they are configured. Thread-safe. */
final class BookKeeperClients {
  /** After this long a read of an entry is also sent to the next replica, milliseconds. */
  private static final int SPECULATIVE_READ_MS = 200;

  /** A read is sent to the next replica only when this one has failed. */
  private static final int NEVER = 0;

  private static final int CONNECT_TIMEOUT_MS = 2_000;

  /**
   * Bytes that wait to be sent to a bookie; with more it is left out of the next appends, as if it
   * were dead. Far more than is under way at a time, so a quorum never waits for it, and seconds of
   * a full load, so a bookie may pause.
   */
  private static final int UNSENT_BYTES_MAX = 32 << 20;

  private final BookKeeper usual;
  private final BookKeeper batches;

  private BookKeeperClients(BookKeeper usual, BookKeeper batches) {
    this.usual = usual;
    this.batches = batches;
  }

  /** Makes them; the client of ZooKeeper stays the caller's. */
  static BookKeeperClients connect(BookKeeperSettings settings, ZooKeeper zooKeeper)
      throws BKException, IOException, InterruptedException {
    BookKeeper usual = client(settings, zooKeeper, SPECULATIVE_READ_MS);
    try {
      return new BookKeeperClients(usual, client(settings, zooKeeper, NEVER));
    } catch (BKException | IOException | InterruptedException e) {
      usual.close();
      throw e;
    }
  }

  /** The one that does everything but {@link #batches}. */
  BookKeeper usual() {
    return usual;
  }

  /**
   * The one that reads many entries with one request. BookKeeper (4.18) never releases the second
   * answer to such a request, so it is sent to one bookie only; {@link Reading} reads in the usual
   * way when that one is late. It releases neither an answer that comes after the time-out of reads
   * nor one whose first entry is damaged: a MiB of memory at most for each, until the process ends.
   */
  BookKeeper batches() {
    return batches;
  }

  void close() throws BKException, InterruptedException {
    try {
      batches.close();
    } finally {
      usual.close();
    }
  }

  /** The only way to choose how BookKeeper's client tries ZooKeeper again is to give it one. */
  @SuppressWarnings("deprecation")
  private static BookKeeper client(
      BookKeeperSettings settings, ZooKeeper zooKeeper, int speculativeReadMs)
      throws BKException, IOException, InterruptedException {
    ClientConfiguration configuration = configuration(settings);
    configuration.setZkLedgersRootPath(settings.ledgersRoot());
    configuration.setFirstSpeculativeReadTimeout(speculativeReadMs);
    return BookKeeper.forConfig(configuration).zk(zooKeeper).build();
  }

  private static ClientConfiguration configuration(BookKeeperSettings settings) {
    int slash = settings.zookeeper().indexOf('/');
    String hosts = slash < 0 ? settings.zookeeper() : settings.zookeeper().substring(0, slash);
    String chroot = slash < 0 ? "" : settings.zookeeper().substring(slash);
    ClientConfiguration c = new ClientConfiguration();
    c.setMetadataServiceUri(
        "zk+null://" + hosts.replace(',', ';') + chroot + settings.ledgersRoot());
    c.setZkEnableSecurity(settings.access().isSecured());
    settings.bookies().configure(c);
    c.setAddEntryTimeout(seconds(settings.addTimeout()));
    c.setReadEntryTimeout(seconds(settings.readTimeout()));
    c.setClientConnectTimeoutMillis(CONNECT_TIMEOUT_MS);
    c.setEnableParallelRecoveryRead(true);
    // The caller bounds its outstanding appends by itself.
    c.setThrottleValue(0);
    // What a bookie that hangs does not take is not kept for it beyond this.
    c.setClientWriteBufferHighWaterMark(UNSENT_BYTES_MAX);
    c.setClientWriteBufferLowWaterMark(UNSENT_BYTES_MAX / 2);
    c.setWaitTimeoutOnBackpressureMillis(0);
    // With as many bookies as the ensemble has, there is no replacement for a failed one: go on
    // with the rest as long as the quorum answers. It applies to recovery, too.
    c.setDelayEnsembleChange(true);
    // The older protocol sends an entry as it is; the newer one copies it into a message.
    c.setUseV2WireProtocol(true);
    // One ledger at a time is one worker at a time.
    c.setNumWorkerThreads(1);
    c.setNumIOThreads(1);
    return c;
  }

  private static int seconds(Duration duration) {
    return Math.max(1, (int) duration.plusMillis(999).toSeconds());
  }
}
