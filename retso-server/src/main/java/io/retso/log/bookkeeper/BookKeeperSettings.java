package io.retso.log.bookkeeper;

import java.time.Duration;

/**
 * Where the log is and how it is replicated.
 *
 * @param zookeeper connect string of the ZooKeeper of the BookKeeper cluster, perhaps with a chroot
 * @param access this server's identity there, and whose the nodes are that it makes
 * @param bookies how this server identifies itself to bookies
 * @param znode path under which the catalog is kept; one per log
 * @param ledgersRoot path of BookKeeper's own metadata
 * @param ensemble bookies over which a ledger is spread
 * @param writeQuorum bookies that get each entry
 * @param ackQuorum bookies that must have an entry before it counts as durable
 * @param addTimeout after which a silent bookie counts as failed; whole seconds. Stalls of the
 *     disk's fsync must fit into it
 * @param readTimeout the same for reads
 * @param zookeeperTimeout for how long ZooKeeper is tried again before what needs it fails
 * @param operationTimeout of creating, opening, deleting a ledger, and of the catalog
 */
public record BookKeeperSettings(
    String zookeeper,
    ZooKeeperAccess access,
    BookieAccess bookies,
    String znode,
    String ledgersRoot,
    int ensemble,
    int writeQuorum,
    int ackQuorum,
    Duration addTimeout,
    Duration readTimeout,
    Duration zookeeperTimeout,
    Duration operationTimeout) {

  public BookKeeperSettings {
    if (ackQuorum < 1 || writeQuorum < ackQuorum || ensemble < writeQuorum) {
      throw new IllegalArgumentException(
          "need 1 <= ack quorum <= write quorum <= ensemble, not "
              + String.join(
                  ", ",
                  String.valueOf(ackQuorum),
                  String.valueOf(writeQuorum),
                  String.valueOf(ensemble)));
    }
  }

  /** The usual paths and time-outs. */
  public static BookKeeperSettings of(
      String zookeeper, int ensemble, int writeQuorum, int ackQuorum) {
    return new BookKeeperSettings(
        zookeeper,
        ZooKeeperAccess.OPEN,
        BookieAccess.OPEN,
        "/retso/log",
        "/ledgers",
        ensemble,
        writeQuorum,
        ackQuorum,
        Duration.ofSeconds(5),
        Duration.ofSeconds(2),
        Duration.ofSeconds(10),
        Duration.ofSeconds(30));
  }

  /** These settings with another path of the catalog. */
  public BookKeeperSettings withZnode(String path) {
    return new BookKeeperSettings(
        zookeeper,
        access,
        bookies,
        path,
        ledgersRoot,
        ensemble,
        writeQuorum,
        ackQuorum,
        addTimeout,
        readTimeout,
        zookeeperTimeout,
        operationTimeout);
  }

  /** These settings for a server with another identity in ZooKeeper. */
  public BookKeeperSettings withAccess(ZooKeeperAccess other) {
    return new BookKeeperSettings(
        zookeeper,
        other,
        bookies,
        znode,
        ledgersRoot,
        ensemble,
        writeQuorum,
        ackQuorum,
        addTimeout,
        readTimeout,
        zookeeperTimeout,
        operationTimeout);
  }

  /** These settings for a server that bookies know by something else. */
  public BookKeeperSettings withBookies(BookieAccess other) {
    return new BookKeeperSettings(
        zookeeper,
        access,
        other,
        znode,
        ledgersRoot,
        ensemble,
        writeQuorum,
        ackQuorum,
        addTimeout,
        readTimeout,
        zookeeperTimeout,
        operationTimeout);
  }

  /** These settings with other time-outs for a silent bookie; whole seconds. */
  public BookKeeperSettings withTimeouts(Duration add, Duration read) {
    return new BookKeeperSettings(
        zookeeper,
        access,
        bookies,
        znode,
        ledgersRoot,
        ensemble,
        writeQuorum,
        ackQuorum,
        add,
        read,
        zookeeperTimeout,
        operationTimeout);
  }
}
