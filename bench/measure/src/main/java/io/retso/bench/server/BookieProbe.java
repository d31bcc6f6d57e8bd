package io.retso.bench.server;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.retso.text.ErrorText;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.HdrHistogram.Histogram;
import org.apache.bookkeeper.client.BKException;
import org.apache.bookkeeper.client.BookKeeper;
import org.apache.bookkeeper.client.LedgerHandle;
import org.apache.bookkeeper.conf.ClientConfiguration;
import org.slf4j.LoggerFactory;

/**
 * Measures what one append costs without ReTSO: a BookKeeper client of this process adds small
 * entries, one at a time, to the bookie that a server runs in its process.
 */
public final class BookieProbe implements AutoCloseable {
  /** As large as the log entry of a single transaction. */
  private static final int ENTRY_BYTES = 128;

  private static final byte[] PASSWORD = "bench".getBytes(StandardCharsets.UTF_8);

  private final BookKeeper bookKeeper;
  private final LedgerHandle ledger;

  private BookieProbe(BookKeeper bookKeeper, LedgerHandle ledger) {
    this.bookKeeper = bookKeeper;
    this.ledger = ledger;
  }

  /** Connects to the bookie of the server with this data directory. */
  public static BookieProbe connect(Path dataDirectory) throws IOException {
    String port = Files.readString(dataDirectory.resolve("zookeeper").resolve("port")).trim();
    ClientConfiguration configuration = new ClientConfiguration();
    configuration.setMetadataServiceUri("zk+hierarchical://127.0.0.1:" + port + "/ledgers");
    configuration.setThrottleValue(0);
    configuration.setNumIOThreads(1);
    configuration.setNumWorkerThreads(1);
    // Its warnings are about racks and networks, which a bookie of this machine does not have.
    ((Logger) LoggerFactory.getLogger("org.apache.bookkeeper")).setLevel(Level.ERROR);
    ((Logger) LoggerFactory.getLogger("org.apache.zookeeper")).setLevel(Level.ERROR);
    BookKeeper client = null;
    try {
      client = new BookKeeper(configuration);
      LedgerHandle ledger = client.createLedger(1, 1, 1, BookKeeper.DigestType.CRC32C, PASSWORD);
      return new BookieProbe(client, ledger);
    } catch (Exception e) {
      if (client != null) {
        closeQuietly(client);
      }
      throw new IOException("cannot reach the server's bookie: " + ErrorText.of(e), e);
    }
  }

  /** Adds entries for so long and records each add, nanoseconds. */
  public void measure(double seconds, Histogram nanos) throws IOException, InterruptedException {
    byte[] entry = new byte[ENTRY_BYTES];
    long deadline = System.nanoTime() + (long) (seconds * 1e9);
    try {
      for (long now = System.nanoTime(); now < deadline; ) {
        ledger.addEntry(entry);
        long done = System.nanoTime();
        nanos.recordValue(Math.min(done - now, nanos.getHighestTrackableValue()));
        now = done;
      }
    } catch (BKException e) {
      throw new IOException("an add to the server's bookie failed: " + ErrorText.of(e), e);
    }
  }

  private static void closeQuietly(BookKeeper client) {
    try {
      client.close();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (BKException e) {
      // Nothing depends on it any more.
    }
  }

  @Override
  public void close() {
    try {
      ledger.close();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (BKException e) {
      // The server, and with it the ledger, is going away.
    }
    closeQuietly(bookKeeper);
  }
}
