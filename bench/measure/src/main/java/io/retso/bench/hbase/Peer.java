package io.retso.bench.hbase;

import io.retso.cluster.LocalCluster;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.client.Put;

/**
 * Another system of transactions on the same HBase, with the same rows, if one is on the class
 * path: {@code -Pomid} builds this module with Apache Omid. Thread-safe once it is open.
 */
interface Peer extends AutoCloseable {
  /** The one on the class path. */
  static Optional<Peer> find() {
    try {
      Class<?> peer = Class.forName("io.retso.bench.hbase.OmidPeer");
      return Optional.of((Peer) peer.getDeclaredConstructor().newInstance());
    } catch (ClassNotFoundException e) {
      return Optional.empty(); // a build without the profile; it leaves no class of one with it
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e); // its constructor does nothing
    }
  }

  /** What it is called in reports. */
  String name();

  /**
   * Starts its servers and creates an empty table.
   *
   * @param splits where the regions of the table begin, but for the first one
   */
  void open(LocalCluster cluster, byte[][] splits) throws IOException, InterruptedException;

  /** Writes rows in one transaction. */
  void load(List<Put> puts) throws IOException;

  /** A transaction that reads a batch. */
  Operation.Maker gets(int count);

  /** A transaction that reads rows one after the other. */
  Operation.Maker singleGets(int count);

  /** A transaction with a scan of a short range. */
  Operation.Maker scans(int count);

  /** A transaction that writes a batch. */
  Operation.Maker puts(int count);

  /** A transaction that reads different random rows, and writes them. */
  Operation.Maker readModifyWrites(int count);

  /** A mix of transactions of one operation each. */
  Operation.Maker mix(Mix mix);

  @Override
  void close() throws IOException;
}
