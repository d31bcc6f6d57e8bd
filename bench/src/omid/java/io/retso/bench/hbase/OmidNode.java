package io.retso.bench.hbase;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
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

  /** The directory of hbase-site.xml, a port, and the file to write when it is ready. */
  public static void main(String[] arguments) throws Exception {
    try {
      // Omid reads what the class path has.
      URL[] site = {Path.of(arguments[0]).toUri().toURL()};
      ClassLoader parent = Thread.currentThread().getContextClassLoader();
      Thread.currentThread().setContextClassLoader(new URLClassLoader(site, parent));
      createTables(HBaseConfiguration.create());
      TSOServerConfig config = new TSOServerConfig();
      config.setPort(Integer.parseInt(arguments[1]));
      config.setConflictMapSize(CONFLICT_MAP_SIZE);
      config.setLowLatency(true);
      config.setTimestampStoreModule(new DefaultHBaseTimestampStorageModule());
      config.setCommitTableStoreModule(new DefaultHBaseCommitTableStorageModule());
      TSOServer server = TSOServer.getInitializedTsoServer(config);
      server.startAsync();
      server.awaitRunning();
      Files.writeString(Path.of(arguments[2]), arguments[1]);
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
