package io.retso.bench.omid;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.omid.committable.hbase.DefaultHBaseCommitTableStorageModule;
import org.apache.omid.timestamp.storage.DefaultHBaseTimestampStorageModule;
import org.apache.omid.tools.hbase.OmidTableManager;
import org.apache.omid.tso.TSOServer;
import org.apache.omid.tso.TSOServerConfig;

/**
 * Omid's server as a process of its own, with its tables in HBase: commits are put into its commit
 * table by the clients, which is the faster one of its two ways. It ends with its standard input.
 */
public final class OmidNode {
  /** Rows whose last commit it remembers: more than are written at a time. */
  private static final int CONFLICT_MAP_SIZE = 10_000_000;

  private OmidNode() {}

  /**
   * A port, and the file to write when it is ready. Omid reads the {@code hbase-site.xml} of the
   * class path.
   */
  public static void main(String[] arguments) throws Exception {
    try {
      createTables(HBaseConfiguration.create());
      TSOServerConfig config = new TSOServerConfig();
      config.setPort(Integer.parseInt(arguments[0]));
      config.setConflictMapSize(CONFLICT_MAP_SIZE);
      config.setLowLatency(true);
      config.setTimestampStoreModule(new DefaultHBaseTimestampStorageModule());
      config.setCommitTableStoreModule(new DefaultHBaseCommitTableStorageModule());
      TSOServer server = TSOServer.getInitializedTsoServer(config);
      server.startAsync();
      server.awaitRunning();
      Files.writeString(Path.of(arguments[1]), arguments[0]);
      while (System.in.read() >= 0) {
        // The parent never writes; what counts is the end.
      }
      System.exit(0); // whatever threads it leaves
    } catch (IOException | RuntimeException e) {
      e.printStackTrace(); // the parent shows the last lines
      System.exit(1);
    }
  }

  private static void createTables(Configuration hbase) throws IOException {
    new OmidTableManager("commit-table", "-numRegions", "1").executeActionsOnHBase(hbase);
    new OmidTableManager("timestamp-table").executeActionsOnHBase(hbase);
  }
}
